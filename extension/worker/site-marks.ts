import { browser } from 'wxt/browser'
import type { SiteGrant } from '../../shared/policy.ts'
import { wordFor } from '../../shared/sites.ts'

const DOT = '●'
/** Chromium and Firefox then show the text of all tabs; the typings know nothing of it. */
const NO_TEXT = null as unknown as string
const GREEN = '#0b6e63'
const RED = '#b3261e'

/** Shows on the toolbar button of each tab whether agents may use its site; how many questions wait comes first. */
export class SiteMarks {
  #grants: readonly SiteGrant[] = []
  #waiting = 0
  /** Null at first: a former worker may have left other marks. */
  #shown: string | null = null

  constructor() {
    browser.tabs.onUpdated.addListener((tab, { url, status }) => {
      // A new document takes a tab's own badge away.
      if (url !== undefined || status !== undefined) void this.#mark(tab)
    })
    browser.tabs.onActivated.addListener(({ tabId }) => void this.#mark(tabId))
  }

  show(grants: readonly SiteGrant[], waiting: number): void {
    const shown = JSON.stringify([grants, waiting])
    if (shown === this.#shown) return
    this.#shown = shown
    this.#grants = grants
    this.#waiting = waiting
    void browser.action.setBadgeText({ text: waiting === 0 ? '' : String(waiting) })
    void this.#markAll()
  }

  async #markAll(): Promise<void> {
    const tabs = await browser.tabs.query({ active: true })
    await Promise.all(tabs.map(({ id }) => (id === undefined ? undefined : this.#mark(id))))
  }

  async #mark(tabId: number): Promise<void> {
    try {
      const { url = '' } = await browser.tabs.get(tabId)
      const word = wordFor(url, this.#grants)
      const isMarked = word !== null && this.#waiting === 0
      await browser.action.setBadgeText({ tabId, text: isMarked ? DOT : NO_TEXT })
      if (isMarked) {
        const color = word.word === 'never' ? RED : GREEN
        await browser.action.setBadgeBackgroundColor({ tabId, color })
      }
      const title =
        word === null ? 'Uni-CLI Bridge' : browser.i18n.getMessage(`mark_${word.word}`, [word.site])
      await browser.action.setTitle({ tabId, title })
    } catch (error) {
      // The tab went away meanwhile.
      console.debug(`tab ${tabId} could not be marked`, error)
    }
  }
}
