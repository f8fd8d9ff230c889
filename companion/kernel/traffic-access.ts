import { Failure } from '../../shared/failures.ts'
import type { Exchange, SessionTraffic } from '../ports/traffic.ts'
import type { Run } from './run-state.ts'

/**
 * What was seen of a session's requests and console, as far as the run may touch the pages that it was seen on: a page
 * may have led on to a site that the person has not granted, and of that nothing is told.
 */
export function grantedTraffic(traffic: SessionTraffic, run: Run): SessionTraffic {
  const documents = (): Exchange[] => traffic.find({ kinds: ['document'] }).found
  /** Of which page it was; where that is not kept, of which address it was itself. */
  const pageOf = ({ kind, tab, number, url }: Exchange, pages: readonly Exchange[]): string =>
    kind === 'document' ? url : (pages.findLast(page => page.tab === tab && page.number < number)?.url ?? url)
  const isOpen = (exchange: Exchange, pages = documents()): boolean => run.permits(pageOf(exchange, pages))
  const opened = (id: string): Exchange | null => {
    const exchange = traffic.get(id)
    return exchange !== null && isOpen(exchange) ? exchange : null
  }
  return {
    get seen() {
      return traffic.seen
    },
    set seen(cursor) {
      traffic.seen = cursor
    },
    find(query) {
      const page = traffic.find(query)
      const pages = documents()
      return { ...page, found: page.found.filter(exchange => isOpen(exchange, pages)) }
    },
    get: opened,
    body: (id, part) => (opened(id) === null ? null : traffic.body(id, part)),
    blob: (id, part) => (opened(id) === null ? null : traffic.blob(id, part)),
    async next(query, signal) {
      const exchange = await traffic.next(query, signal)
      if (isOpen(exchange)) return exchange
      throw new Failure('site_not_granted', { origin: new URL(pageOf(exchange, documents())).origin })
    },
    lines(query) {
      const told = traffic.lines(query)
      const pages = documents()
      const isOpenAt = ({ tab, at }: { tab: number; at: number }): boolean => {
        const page = pages.findLast(each => each.tab === tab && each.started_at <= at)
        return page === undefined || run.permits(page.url)
      }
      return { ...told, found: told.found.filter(isOpenAt) }
    },
    kept: (exchanges, signal) => traffic.kept(exchanges, signal),
    addLines: lines => traffic.addLines(lines),
    export: (exchanges, format) => traffic.export(exchanges, format),
  }
}
