import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'

/** Where a function runs. Without `frame` it is the main frame, without `world` the extension's own. */
export interface Place {
  tab: number
  frame?: number
  world?: 'ISOLATED' | 'MAIN'
}

/**
 * Runs a self-contained function in a page at once, also while it loads. Null when the document went away
 * before it was done; a function must therefore never return null itself.
 * Fails with tab_gone, page_unreachable, or as the signal says.
 */
export async function runInPage<A extends unknown[], R extends object>(
  place: Place,
  session: string,
  signal: AbortSignal,
  func: (...args: A) => R | Promise<R>,
  args: A,
): Promise<R | null> {
  const running = inject(place, session, () =>
    browser.scripting.executeScript({
      target: targetOf(place),
      world: place.world ?? 'ISOLATED',
      injectImmediately: true,
      func,
      args,
    }),
  )
  const results = await orAborted(running, signal)
  // What a page returns is JSON of what `func` returned; a document that went away returns nothing.
  return (results?.[0]?.result ?? null) as R | null
}

/** Null when the document went away meanwhile. */
export async function injectFile(place: Place, session: string, file: string): Promise<true | null> {
  const results = await inject(place, session, () =>
    browser.scripting.executeScript({ target: targetOf(place), injectImmediately: true, files: [file] }),
  )
  return results === null ? null : true
}

const targetOf = ({ tab, frame }: Place): { tabId: number; frameIds: number[] } => ({
  tabId: tab,
  frameIds: [frame ?? 0],
})

async function inject<T>(place: Place, session: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (DOCUMENT_GONE.test(text)) return null
    if (TAB_GONE.test(text)) throw new Failure('tab_gone', { session }, { cause: error })
    const url = await urlOf(place.tab)
    if (CLOSED.test(text)) throw new Failure('page_unreachable', { url, reason: text }, { cause: error })
    throw error
  }
}

/** The browsers' own texts: Chromium, Firefox. */
const DOCUMENT_GONE =
  /frame with id \d+ was removed|the frame was removed|no document with id|actor '.*' destroyed|no frame with id|invalid frame/i
const TAB_GONE = /no tab with id|the tab was closed|invalid tab id/i
const CLOSED =
  /cannot access|cannot be scripted|showing error page|missing host permission|extensionssettings policy|gallery/i

async function urlOf(tab: number): Promise<string> {
  try {
    return (await browser.tabs.get(tab)).url ?? `tab ${tab}`
  } catch (error) {
    console.debug('the tab is gone too', error)
    return `tab ${tab}`
  }
}

/** Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
