import { browser } from 'wxt/browser'
import { delay } from './delay.ts'
import { isWithoutPage } from './navigation.ts'
import type { PageMethods } from './page-agent.ts'

type Instead = PageMethods['stays']['params']['instead']

/** The download is there before the end of the navigation is told, or so much later. */
const LATER_MS = 300
const LOOK_AGAIN_MS = 50

/** Tells when a frame stays, because where it was to go there is no page. Returns what ends it. */
export function watchStays(tab: number, frame: number, tell: (instead: Instead) => void): () => void {
  const began = Date.now()
  const { onErrorOccurred } = browser.webNavigation
  // Typings know the event by fewer fields than there are.
  const listener = (step: { tabId: number; frameId: number; url: string; error?: string }): void => {
    const { error = '' } = step
    if (step.tabId === tab && step.frameId === frame && isWithoutPage(error))
      void insteadOf(step.url, began).then(tell)
  }
  onErrorOccurred.addListener(listener)
  return () => onErrorOccurred.removeListener(listener)
}

/** Asks rather than listens: on a remote browser whoever listens is given the files too. */
async function insteadOf(url: string, began: number): Promise<Instead> {
  const { downloads } = browser
  if (downloads === undefined) return 'network'
  const startedAfter = new Date(began).toISOString()
  for (const end = Date.now() + LATER_MS; ; ) {
    const found = await downloads.search({ startedAfter })
    if (found.some(item => item.url === url || item.finalUrl === url)) return 'download'
    if (Date.now() >= end) return 'network'
    await delay(LOOK_AGAIN_MS)
  }
}
