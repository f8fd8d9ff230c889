import { Failure } from '../../shared/failures.ts'
import { bodyOf, type FixtureAnswer } from '../library/fixtures.ts'
import type { BrowserPort, BrowserSession } from '../ports/browser.ts'

/** A browser whose pages are those of a fixture. It loads and reads them; there is nothing to act on. */
export function fixtureBrowser(answers: readonly FixtureAnswer[]): BrowserPort {
  const session: BrowserSession = {
    profile: { id: 'fixture', name: 'fixture' },
    session: 'fixture',
    call: callsOf(answers),
    onCapture: () => () => undefined,
  }
  return { open: () => session, links: () => [], settled: async () => undefined }
}

function callsOf(answers: readonly FixtureAnswer[]): BrowserSession['call'] {
  let current: FixtureAnswer | undefined
  const results: Readonly<Record<string, (params: Record<string, unknown>) => unknown>> = {
    'page.navigate': ({ url }) => {
      current = answers.find(answer => answer.url === url)
      if (current === undefined)
        throw new Failure('navigation_failed', { url: String(url), reason: 'the fixture has no such page' })
      return { tab: 1, id: 't1', session: 'fixture', url, title: '', current: true }
    },
    'page.html': () => ({
      html: current === undefined ? '' : bodyOf(current),
      url: current?.url ?? 'about:blank',
      title: '',
    }),
    'session.close': () => ({}),
  }
  return async (method, params) => {
    const result = results[method]
    if (result === undefined)
      throw new Failure('unsupported', {
        what: method,
        where: 'a page of a fixture',
        hint: 'Only pages that are loaded and read can be compared with a fixture.',
      })
    return result(params as Record<string, unknown>) as never
  }
}
