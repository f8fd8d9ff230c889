import { browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { TabInfo } from '../../shared/values.ts'
import type { Send } from './debug-attachment.ts'
import type { Debugger } from './debugger.ts'
import type { Scripts } from './scripts.ts'
import type { Sessions } from './sessions.ts'

export interface Move {
  session: string
  to: 'back' | 'forward' | 'reload'
  until: 'commit' | 'domcontentloaded' | 'load'
  bypass_cache: boolean
}

interface Parts {
  sessions: Sessions
  scripts: Scripts
  debug: Debugger
}

/** Nothing may begin in so long although there is a page to go to: then the debugger is asked. */
const BEGINS_MS = 1500

/** Back, forward or the same page anew. Fails with not_found, navigation_failed, tab_gone, or as the signal says. */
export async function move(parts: Parts, request: Move, signal: AbortSignal): Promise<TabInfo> {
  const { session, to, until, bypass_cache } = request
  const tab = await parts.sessions.tabOf(session)
  const there = arrival(tab, until, session)
  try {
    if (to === 'reload') await browser.tabs.reload(tab, { bypassCache: bypass_cache })
    else await step(parts, { tab, session, to, signal }, there.begun)
    await orAborted(there.arrived, signal)
    return await parts.sessions.info(session)
  } finally {
    there.end()
  }
}

interface Step {
  tab: number
  session: string
  to: 'back' | 'forward'
  signal: AbortSignal
}

/**
 * By the page's own history: the browser's buttons, and tabs.goBack with them, pass over pages that nobody has
 * clicked in, as it is with most that an agent opens.
 */
async function step({ scripts, debug }: Parts, way: Step, begun: Promise<void>): Promise<void> {
  const { tab, session, to, signal } = way
  const sure = await scripts.run({ tab }, session, signal, stepInPage, [to])
  if (sure?.there === true) return
  const nothing = new Failure('not_found', {
    what: `A page to go ${to} to`,
    hint: 'Use browser.navigate with an address.',
  })
  if (sure?.there === false) throw nothing
  const began = begun.then(() => true)
  const late = new Promise<false>(resolve => setTimeout(resolve, BEGINS_MS, false))
  if (await orAborted(Promise.race([began, late]), signal)) return
  if (!debug.available || !(await debug.on(tab, send => isThere(send, to)))) throw nothing
}

/** Injected into a page: uses nothing from outside of itself. `there` is null where it does not know. */
function stepInPage(to: 'back' | 'forward'): { there: boolean | null } {
  const known = (globalThis as { navigation?: { canGoBack: boolean; canGoForward: boolean } }).navigation
  const isSure = to === 'back' ? known?.canGoBack : known?.canGoForward
  if (isSure !== true && history.length <= 1) return { there: false }
  history.go(to === 'back' ? -1 : 1)
  return { there: isSure === true ? true : null }
}

async function isThere(send: Send, to: 'back' | 'forward'): Promise<boolean> {
  const found = await send<{ currentIndex: number; entries: object[] }>('Page.getNavigationHistory')
  return to === 'back' ? found.currentIndex > 0 : found.currentIndex < found.entries.length - 1
}

interface Details {
  tabId: number
  frameId: number
  url: string
  error?: string
}

interface Arrival {
  /** Something of it was seen. */
  begun: Promise<void>
  arrived: Promise<void>
  end(): void
}

/** Told by the browser: another document, or another place in the same one. */
function arrival(tab: number, until: Move['until'], session: string): Arrival {
  const events = browser.webNavigation
  const off: (() => void)[] = []
  let begin = (): void => undefined
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const arrived = new Promise<void>((resolve, reject) => {
    let committed = false
    const on = (
      event: { addListener(l: (d: Details) => void): void; removeListener(l: (d: Details) => void): void },
      hear: (details: Details) => void,
    ): void => {
      const listener = (details: Details): void => {
        if (details.tabId !== tab || details.frameId !== 0) return
        begin()
        hear(details)
      }
      event.addListener(listener)
      off.push(() => event.removeListener(listener))
    }
    const reached = (isFar: boolean) => (): void => {
      if (isFar && committed) resolve()
    }
    on(events.onBeforeNavigate, () => undefined)
    on(events.onCommitted, () => {
      committed = true
      reached(until === 'commit')()
    })
    on(events.onDOMContentLoaded, reached(until === 'domcontentloaded'))
    on(events.onCompleted, reached(true))
    on(events.onHistoryStateUpdated, () => resolve())
    on(events.onReferenceFragmentUpdated, () => resolve())
    on(events.onErrorOccurred, ({ url, error = '' }) =>
      reject(new Failure('navigation_failed', { url, reason: error })),
    )
    const onRemoved = (removed: number): void => {
      if (removed === tab) reject(new Failure('tab_gone', { session }))
    }
    browser.tabs.onRemoved.addListener(onRemoved)
    off.push(() => browser.tabs.onRemoved.removeListener(onRemoved))
  })
  // Whoever failed before it was waited for says so itself.
  arrived.catch(error => console.debug('the move ended otherwise', error))
  return { begun, arrived, end: () => off.forEach(each => void each()) }
}
