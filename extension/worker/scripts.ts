import { type Browser, browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'

export { orAborted }

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
  const world = place.world ?? 'ISOLATED'
  const results = await inDocument(place, session, signal, target =>
    browser.scripting.executeScript({ target, world, injectImmediately: true, func, args }),
  )
  // What a page returns is JSON of what `func` returned; a document that went away returns nothing.
  return (results?.[0]?.result ?? null) as R | null
}

/** Null when the document went away meanwhile. */
export async function injectFile(
  place: Place,
  session: string,
  signal: AbortSignal,
  file: string,
): Promise<true | null> {
  const results = await inDocument(place, session, signal, target =>
    browser.scripting.executeScript({ target, injectImmediately: true, files: [file] }),
  )
  return results === null ? null : true
}

/**
 * Runs `work` on the document that the frame shows now and on no other; null when that one went away. A browser
 * keeps a document that was left, to come back to it, and never settles what waits in it: so that is watched here.
 */
async function inDocument<T>(
  { tab, frame = 0 }: Place,
  session: string,
  signal: AbortSignal,
  work: (target: Browser.scripting.InjectionTarget) => Promise<T>,
): Promise<T | null> {
  let committed = false
  let look = (): void => undefined
  const onCommitted = ({ tabId }: { tabId: number }): void => {
    if (tabId !== tab) return
    committed = true
    look()
  }
  browser.webNavigation.onCommitted.addListener(onCommitted)
  try {
    const document = await documentIn(tab, frame)
    // Firefox names no documents, and rejects what waits in one that is left.
    if (document === null)
      return await orAborted(
        inject(tab, session, () => work({ tabId: tab, frameIds: [frame] })),
        signal,
      )
    const left = new Promise<null>(resolve => {
      look = () =>
        void documentIn(tab, frame).then(now => {
          if (now !== document) resolve(null)
        })
      if (committed) look()
    })
    const done = inject(tab, session, () => work({ tabId: tab, documentIds: [document] }))
    return await orAborted(Promise.race([done, left]), signal)
  } finally {
    browser.webNavigation.onCommitted.removeListener(onCommitted)
  }
}

/** The browser's id of the document that a frame shows; null when there is no such frame, or no ids. */
async function documentIn(tabId: number, frameId: number): Promise<string | null> {
  try {
    return (await browser.webNavigation.getFrame({ tabId, frameId }))?.documentId ?? null
  } catch (error) {
    // Firefox, when there is no such tab or frame: whoever works on it is told by the browser as well.
    console.debug('the frame could not be looked at', error)
    return null
  }
}

async function inject<T>(tab: number, session: string, run: () => Promise<T>): Promise<T | null> {
  try {
    return await run()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (DOCUMENT_GONE.test(text)) return null
    if (TAB_GONE.test(text)) throw new Failure('tab_gone', { session }, { cause: error })
    const url = await urlOf(tab)
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
