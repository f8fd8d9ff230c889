import { browser } from 'wxt/browser'
import { ACTED } from '../../shared/capture.ts'
import { tabOfContentScript } from './senders.ts'

/**
 * Hears from the agent of a page that it begins to act. When the document is then replaced before the agent can
 * answer, this tells an act that navigated from one that never came to pass.
 */
export class Acted {
  readonly #watches = new Set<{ tab: number; acted: boolean }>()

  constructor() {
    browser.runtime.onMessage.addListener((message: unknown, sender) => {
      const tab = message === ACTED ? tabOfContentScript(sender) : null
      for (const watch of this.#watches) if (watch.tab === tab) watch.acted = true
      return undefined
    })
  }

  watch(tab: number): { acted(): boolean; end(): void } {
    const watch = { tab, acted: false }
    this.#watches.add(watch)
    return { acted: () => watch.acted, end: () => void this.#watches.delete(watch) }
  }
}
