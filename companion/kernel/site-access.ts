import { Failure } from '../../shared/failures.ts'
import { isRecord } from '../../shared/json.ts'
import { WIRE, type WireMethod } from '../../shared/wire.ts'
import type { BrowserSession, CallOptions } from '../ports/browser.ts'
import { siteOf } from './policy/site-of.ts'
import type { Run } from './run-state.ts'

/** The origin that the page of each session showed when it last told. */
export type PageOrigins = Map<string, string>

/** A page that leads on to one site after the other; each was asked for, so this is no limit that a person meets. */
const MAX_SITES = 10

/**
 * A session that touches granted sites only. Each call names the origins that it may touch, and the extension refuses
 * it, before anything happens, where the page is at another: then that one is judged, and the call is sent once more.
 * What a call that may act has begun is never sent again, since the extension refuses such a one only at its start.
 */
export function grantedSession(session: BrowserSession, run: Run, pages: PageOrigins): BrowserSession {
  const key = [session.profile.id, session.session, run.invocation.options.tab].join('\n')
  const call = async (method: WireMethod, params: object, options: CallOptions): Promise<unknown> => {
    const { touches } = WIRE[method]
    if (touches === 'nothing') {
      const told = await session.call(method, params as never, options)
      // By its title the person is asked which tab they lend; nobody else is told.
      return method === 'session.strangers' ? told : withoutTitles(told, run)
    }
    const granted = touches === 'page' ? [] : await judged(run, addressesIn(params))
    const shown = touches === 'address' ? undefined : pages.get(key)
    if (shown !== undefined && run.permits(shown)) granted.push(note(run, shown))
    for (;;) {
      try {
        const result = await session.call(method, params as never, { ...options, granted })
        remember(pages, key, result)
        return withoutTitles(result, run)
      } catch (error) {
        if (!Failure.is(error, 'site_not_granted') || granted.length >= MAX_SITES) throw error
        const { origin } = error.params
        if (granted.includes(origin)) throw error
        granted.push(...(await judged(run, [origin])))
        pages.set(key, origin)
      }
    }
  }
  return {
    profile: session.profile,
    session: session.session,
    call: call as BrowserSession['call'],
    onCapture: listener => session.onCapture(listener),
  }
}

/** Waits for a person where nobody has said yet whether these may be touched. Gives their origins. */
async function judged(run: Run, urls: readonly string[]): Promise<string[]> {
  for (const url of urls) {
    await run.access({ kind: 'browse', url })
    note(run, url)
  }
  return urls.map(url => new URL(url).origin)
}

/** So that the person sees where the run is, and can stop it there. */
function note(run: Run, url: string): string {
  const site = siteOf(url)
  if (site !== null) {
    // The last one is where it is now.
    run.sites.delete(site)
    run.sites.set(site, url)
  }
  return new URL(url).origin
}

const addressesIn = (params: object): string[] =>
  ['url', 'origin'].flatMap(name => {
    const value = (params as Record<string, unknown>)[name]
    return typeof value === 'string' && siteOf(value) !== null ? [value] : []
  })

function remember(pages: PageOrigins, key: string, result: unknown): void {
  // A document without an address of its own, such as an empty one or about:srcdoc, has no origin to grant.
  if (isPage(result) && siteOf(result.url) !== null) pages.set(key, new URL(result.url).origin)
}

interface Page {
  url: string
  title: string
  changes?: unknown
}

const isPage = (value: unknown): value is Page & Record<string, unknown> =>
  isRecord(value) && typeof value.url === 'string' && typeof value.title === 'string'

const hasTabs = (value: unknown): value is { tabs: unknown[] } => isRecord(value) && Array.isArray(value.tabs)

/** An act or a redirect may have led to another site, whose title is already something read there. */
function withoutTitles(result: unknown, run: Run): unknown {
  if (Array.isArray(result)) return result.map(each => withoutTitles(each, run))
  if (hasTabs(result)) return { ...result, tabs: withoutTitles(result.tabs, run) }
  if (!isPage(result) || run.permits(result.url)) return result
  const { changes: _, ...rest } = result
  return { ...rest, title: '' }
}
