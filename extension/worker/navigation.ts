import { browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { TabInfo } from '../../shared/values.ts'
import type { Sessions } from './sessions.ts'

export type Until = 'commit' | 'domcontentloaded' | 'load'

type Kind = 'begin' | 'commit' | 'domcontentloaded' | 'load' | 'same_document' | 'error'
/** One step of a tab's main frame, as the browser reports it. */
export interface Step {
  kind: Kind
  tab: number
  url: string
  error: string
}
/** `doubtful`: it failed, unless the browser goes on with it in a moment. */
type Verdict = 'reached' | 'pending' | { failed: string } | { doubtful: string }

/** What counts as having got there. */
const REACHED: Record<Until, readonly Kind[]> = {
  commit: ['commit', 'domcontentloaded', 'load'],
  domcontentloaded: ['domcontentloaded', 'load'],
  load: ['load'],
}

/** Chromium for a navigation that another one, a download or an empty answer replaced. */
const REPLACED = /ERR_ABORTED/
/** Firefox for the same, and for the first half of a navigation that it takes up again in another process. */
const REPLACED_OR_MOVED = /NS_BINDING_ABORTED|2152398850/
/** Whether a navigation failed so that there is no page of it: a download, an empty answer, or another navigation came. */
export const isWithoutPage = (error: string): boolean => REPLACED.test(error) || REPLACED_OR_MOVED.test(error)

/** How long Firefox may take to go on elsewhere. */
const DOUBT_MS = 2000

/**
 * Follows one navigation of a main frame by the steps that the browser reports, from before it was asked for: a
 * redirect by script starts over, and only a failure of the newest attempt counts.
 */
export class NavigationTrack {
  readonly #wanted: string
  readonly #until: Until
  #newest: string | null = null
  #committed = false

  constructor(url: string, until: Until) {
    this.#wanted = new URL(url).href
    this.#until = until
  }

  next({ kind, url, error }: Omit<Step, 'tab'>): Verdict {
    // Firefox reports the empty page that a new tab starts with.
    if (url === 'about:blank' && this.#wanted !== url) return 'pending'
    if (kind === 'begin') {
      this.#newest = url
      return 'pending'
    }
    if (kind === 'same_document') return this.#newest === null && url === this.#wanted ? 'reached' : 'pending'
    if (kind === 'error') return this.#failed(url, error)
    // Until our own document was committed, the steps are those of the page before it.
    if (kind === 'commit') this.#committed = true
    return this.#committed && REACHED[this.#until].includes(kind) ? 'reached' : 'pending'
  }

  #failed(url: string, error: string): Verdict {
    if (!isWithoutPage(error)) return { failed: error }
    // What was still loading before, or what a redirect by script has replaced.
    if (this.#committed || this.#newest !== url) return 'pending'
    const reason = `${error}: a download or an empty answer, not a page`
    return REPLACED_OR_MOVED.test(error) ? { doubtful: reason } : { failed: reason }
  }
}

/**
 * Loads an address in the session's tab, or in a new one, and waits until it got as far as `until`.
 * Fails with navigation_failed, page_unreachable, tab_gone, or as the signal says.
 *
 * @param first is done with a new tab before it asks for anything
 */
export async function navigate(
  sessions: Sessions,
  request: { session: string; url: string; until: Until; new_tab?: boolean | undefined },
  signal: AbortSignal,
  first: ((tab: number) => Promise<void>) | null = null,
): Promise<TabInfo> {
  const { session, url, until, new_tab: isNew = false } = request
  refuseClosed(url)
  const steps = listen()
  try {
    const { tab, opened } = isNew
      ? { tab: await sessions.add(session, first === null ? url : 'about:blank'), opened: first === null }
      : await sessions.open(session, url)
    if (isNew) await first?.(tab)
    if (!opened) await update(tab, url, session)
    await orAborted(
      steps.follow(tab, url, new NavigationTrack(url, until), new Failure('tab_gone', { session })),
      signal,
    )
    return await sessions.infoOfTab(tab)
  } finally {
    steps.end()
  }
}

function refuseClosed(url: string): void {
  const { protocol } = new URL(url)
  if (protocol === 'http:' || protocol === 'https:' || url === 'about:blank') return
  throw new Failure('page_unreachable', { url, reason: `${protocol} addresses are closed to extensions` })
}

async function update(tab: number, url: string, session: string): Promise<void> {
  try {
    await browser.tabs.update(tab, { url })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (/no tab with id|invalid tab id/i.test(reason)) throw new Failure('tab_gone', { session }, { cause })
    throw new Failure('navigation_failed', { url, reason }, { cause })
  }
}

interface Details {
  tabId: number
  url: string
  frameId: number
  error?: string
}

/** Hears main frames of all tabs from now on, since a new tab's id is known only after its first steps. */
function listen(): {
  follow(tab: number, url: string, track: NavigationTrack, gone: Failure): Promise<void>
  end(): void
} {
  const early: Step[] = []
  let hear = (step: Step): void => void early.push(step)
  let closed = (_tab: number): void => undefined
  const on =
    (kind: Kind) =>
    ({ tabId, frameId, url, error }: Details): void => {
      if (frameId === 0) hear({ kind, tab: tabId, url, error: error ?? '' })
    }
  const onRemoved = (tab: number): void => closed(tab)
  const events = browser.webNavigation
  const listeners = [
    [events.onBeforeNavigate, on('begin')],
    [events.onCommitted, on('commit')],
    [events.onDOMContentLoaded, on('domcontentloaded')],
    [events.onCompleted, on('load')],
    [events.onReferenceFragmentUpdated, on('same_document')],
    [events.onHistoryStateUpdated, on('same_document')],
    [events.onErrorOccurred, on('error')],
  ] as const
  for (const [event, listener] of listeners) event.addListener(listener)
  browser.tabs.onRemoved.addListener(onRemoved)
  return {
    follow: (tab, url, track, gone) =>
      new Promise((resolve, reject) => {
        const fail = (reason: string) => reject(new Failure('navigation_failed', { url, reason }))
        let doubt: ReturnType<typeof setTimeout> | undefined
        hear = step => {
          if (step.tab !== tab) return
          const verdict = track.next(step)
          if (step.kind === 'begin' || step.kind === 'commit') clearTimeout(doubt)
          if (verdict === 'reached') resolve()
          else if (verdict !== 'pending' && 'failed' in verdict) fail(verdict.failed)
          else if (verdict !== 'pending') doubt = setTimeout(fail, DOUBT_MS, verdict.doubtful)
        }
        closed = removed => {
          if (removed === tab) reject(gone)
        }
        for (const step of early.splice(0)) hear(step)
      }),
    end: () => {
      for (const [event, listener] of listeners) event.removeListener(listener)
      browser.tabs.onRemoved.removeListener(onRemoved)
    },
  }
}
