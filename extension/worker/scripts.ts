import { type Browser, browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import { type ShownDocument, ShownDocuments } from './shown-documents.ts'
import type { SiteGate } from './site-gate.ts'

/** Where a function runs. Without `frame` it is the main frame, without `world` the extension's own. */
export interface Place {
  tab: number
  frame?: number
  world?: 'ISOLATED' | 'MAIN'
  /** What runs there reads nothing and changes nothing, so that it needs no grant. */
  readsNothing?: true
}

type Work<T> = (target: Browser.scripting.InjectionTarget) => Promise<T>

/** The document was gone before anything could run in it. */
const NEVER_RAN = Symbol('never ran')

/** Runs scripts in the documents of tabs. */
export class Scripts {
  readonly #documents = new ShownDocuments()
  readonly #mayRun: (tab: number) => void
  readonly #gate: SiteGate

  /** @param mayRun throws where no script would ever come to its end */
  constructor(gate: SiteGate, mayRun: (tab: number) => void = () => undefined) {
    this.#gate = gate
    this.#mayRun = mayRun
  }

  /** Of the page that a tab shows; null when there is no such tab. */
  async urlOf(tab: number): Promise<string | null> {
    return (await this.#documents.main(tab))?.url ?? null
  }

  /**
   * Runs a self-contained function in a page at once, also while it loads. Null when the document went away
   * before it was done; a function must therefore never return null itself.
   * Fails with tab_gone, page_unreachable, site_not_granted, or as the signal says.
   */
  async run<A extends unknown[], R extends object>(
    place: Place,
    session: string,
    signal: AbortSignal,
    func: (...args: A) => R | Promise<R>,
    args: A,
  ): Promise<R | null> {
    const world = place.world ?? 'ISOLATED'
    const results = await this.#inDocument(place, session, signal, target =>
      browser.scripting.executeScript({ target, world, injectImmediately: true, func, args }),
    )
    // What a page returns is JSON of what `func` returned; a document that went away returns nothing.
    return (results?.[0]?.result ?? null) as R | null
  }

  /** Null when the document went away meanwhile. */
  async inject(place: Place, session: string, signal: AbortSignal, file: string): Promise<true | null> {
    const results = await this.#inDocument(place, session, signal, target =>
      browser.scripting.executeScript({ target, injectImmediately: true, files: [file] }),
    )
    return results === null ? null : true
  }

  /**
   * Runs `work` on the document that the frame shows now and on no other; null when that one went away. A browser
   * keeps a document that was left, to come back to it, and never settles what waits in it: so that is watched here.
   * A page of a site that was not granted counts as another document.
   */
  async #inDocument<T>(place: Place, session: string, signal: AbortSignal, work: Work<T>): Promise<T | null> {
    const { tab, frame = 0, readsNothing } = place
    this.#mayRun(tab)
    const isOpen = (main: ShownDocument | null): boolean =>
      readsNothing === true || main === null || this.#gate.opens(session, main.url)
    const watch = this.#documents.watch({ tab, frame })
    const runIn = async (document: string): Promise<T | null | typeof NEVER_RAN> => {
      const done = inject(tab, session, () => work({ tabId: tab, documentIds: [document] }))
      return await orAborted(Promise.race([done, watch.left(document)]), signal)
    }
    try {
      const known = this.#documents.known({ tab, frame })
      if (known !== null && !isOpen(known)) return null
      const first = known === null ? NEVER_RAN : await runIn(known.document)
      if (first !== NEVER_RAN) return first
      const asked = await this.#documents.ask({ tab, frame })
      if (!isOpen(frame === 0 ? asked : await this.#documents.main(tab))) return null
      const document = asked?.document ?? null
      // Firefox names no documents, and rejects what waits in one that is left.
      const second =
        document === null
          ? await orAborted(
              inject(tab, session, () => work({ tabId: tab, frameIds: [frame] })),
              signal,
            )
          : await runIn(document)
      return second === NEVER_RAN ? null : second
    } finally {
      watch.end()
    }
  }
}

async function inject<T>(
  tab: number,
  session: string,
  run: () => Promise<T>,
): Promise<T | null | typeof NEVER_RAN> {
  try {
    return await run()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    if (NO_DOCUMENT.test(text)) return NEVER_RAN
    if (DOCUMENT_GONE.test(text)) return null
    if (TAB_GONE.test(text)) throw new Failure('tab_gone', { session }, { cause: error })
    const url = await urlOf(tab)
    if (ERROR_PAGE.test(text))
      throw new Failure('navigation_failed', { url, reason: NOT_LOADED }, { cause: error })
    if (CLOSED.test(text)) throw new Failure('page_unreachable', { url, reason: text }, { cause: error })
    throw error
  }
}

/** The browsers' own texts: Chromium, Firefox. */
const NO_DOCUMENT = /no document with id|invalid documentid/i
const DOCUMENT_GONE =
  /frame with id \d+ was removed|the frame was removed|actor '.*' destroyed|no frame with id|invalid frame/i
const TAB_GONE = /no tab with id|the tab was closed|invalid tab id/i
const ERROR_PAGE = /showing error page/i
const NOT_LOADED = 'the tab shows an error page of the browser in its place'
const CLOSED = /cannot access|cannot be scripted|missing host permission|extensionssettings policy|gallery/i

async function urlOf(tab: number): Promise<string> {
  try {
    return (await browser.tabs.get(tab)).url ?? `tab ${tab}`
  } catch (error) {
    console.debug('the tab is gone too', error)
    return `tab ${tab}`
  }
}
