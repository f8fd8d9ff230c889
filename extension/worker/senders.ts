import { browser } from 'wxt/browser'

interface Sender {
  id?: string | undefined
  url?: string | undefined
  tab?: { id?: number | undefined } | undefined
}

/** True for pages of this extension: popup and offscreen document. A content script has our id, but the page's url. */
export const isOwnPage = (sender: Sender | undefined): boolean =>
  sender?.id === browser.runtime.id &&
  sender.url !== undefined &&
  sender.url.startsWith(browser.runtime.getURL('/'))

/** The tab of one of our content scripts, or null for anybody else. */
export const tabOfContentScript = (sender: Sender): number | null =>
  sender.id === browser.runtime.id && !isOwnPage(sender) ? (sender.tab?.id ?? null) : null
