import { browser } from 'wxt/browser'
import { ACTED } from '../../shared/page-messages.ts'
import { tabOfContentScript } from './senders.ts'

/** The word that an act began may come a little after the news that its document is gone. */
const LATE_MS = 300

interface Watch {
  tab: number
  hear: () => void
}

/**
 * Hears from the agent of a page that it begins to act. When the document is then replaced before the agent can
 * answer, this tells an act that navigated from one that never came to pass.
 */
export class Acted {
  readonly #watches = new Set<Watch>()

  constructor() {
    browser.runtime.onMessage.addListener((message: unknown, sender) => {
      const tab = message === ACTED ? tabOfContentScript(sender) : null
      for (const watch of this.#watches) if (watch.tab === tab) watch.hear()
      return undefined
    })
  }

  /** `acted` resolves with whether an act began in the tab between `watch` and `end`. */
  watch(tab: number): { acted(): Promise<boolean>; end(): void } {
    let hear = (): void => undefined
    const heard = new Promise<true>(resolve => {
      hear = () => resolve(true)
    })
    const watch = { tab, hear }
    this.#watches.add(watch)
    const late = (): Promise<false> => new Promise(resolve => setTimeout(() => resolve(false), LATE_MS))
    return {
      acted: () => Promise.race([heard, late()]),
      end: () => void this.#watches.delete(watch),
    }
  }
}
