import { browser } from 'wxt/browser'

/** A frame of a tab; 0 is the main frame. */
interface Shown {
  tab: number
  frame: number
}

/** A document of a frame; without an id where the browser has none. */
export interface ShownDocument {
  document: string | null
  url: string
}

interface Named extends ShownDocument {
  document: string
}

interface Watch {
  tab: number
  look: () => void
}

/**
 * Which document a frame shows, by the browser's own ids. Main frames that were asked for are followed from then on,
 * so that they need not be asked for again.
 */
export class ShownDocuments {
  readonly #followed = new Map<number, Named>()
  readonly #watches = new Set<Watch>()

  constructor() {
    browser.webNavigation.onCommitted.addListener(details => {
      const { tabId, frameId, documentId, documentLifecycle, url } = details
      if (frameId === 0 && this.#followed.has(tabId)) {
        if (documentId !== undefined && documentLifecycle === 'active')
          this.#followed.set(tabId, { document: documentId, url })
        else this.forget(tabId)
      }
      for (const watch of [...this.#watches]) if (watch.tab === tabId) watch.look()
    })
    browser.tabs.onRemoved.addListener(tab => this.forget(tab))
    // A discarded or prerendered tab comes back under another id.
    browser.tabs.onReplaced?.addListener((_, removed) => this.forget(removed))
  }

  /** Without asking the browser: null when it has to be asked. What is said of a moment ago may be out of date. */
  known({ tab, frame }: Shown): Named | null {
    return frame === 0 ? (this.#followed.get(tab) ?? null) : null
  }

  /** Null when there is no such frame. */
  async ask(shown: Shown): Promise<ShownDocument | null> {
    const found = await documentIn(shown)
    const { document = null, url = '' } = found ?? {}
    if (shown.frame === 0 && document !== null) this.#followed.set(shown.tab, { document, url })
    return found
  }

  /** Of the main frame; null when there is no such tab. */
  async main(tab: number): Promise<ShownDocument | null> {
    return this.known({ tab, frame: 0 }) ?? (await this.ask({ tab, frame: 0 }))
  }

  forget(tab: number): void {
    this.#followed.delete(tab)
  }

  /**
   * Watches a frame from now on. `left` resolves with null when it shows another document than this one, also when
   * that has happened since the watch began.
   */
  watch(shown: Shown): { left(document: string): Promise<null>; end(): void } {
    let committed = false
    const watch: Watch = {
      tab: shown.tab,
      look: () => {
        committed = true
      },
    }
    this.#watches.add(watch)
    const left = (document: string): Promise<null> =>
      new Promise(resolve => {
        watch.look = () =>
          void documentIn(shown).then(now => {
            if (now?.document !== document) resolve(null)
          })
        if (committed) watch.look()
      })
    return { left, end: () => void this.#watches.delete(watch) }
  }
}

async function documentIn({ tab, frame }: Shown): Promise<ShownDocument | null> {
  try {
    const found = await browser.webNavigation.getFrame({ tabId: tab, frameId: frame })
    return found ? { document: found.documentId ?? null, url: found.url } : null
  } catch (error) {
    // Firefox, when there is no such tab or frame: whoever works on it is told by the browser as well.
    console.debug('the frame could not be looked at', error)
    return null
  }
}
