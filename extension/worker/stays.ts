import { browser } from 'wxt/browser'

/** What came of a navigation that led to no page: a file, or an answer without content. */
export type Instead = 'download' | 'network'

/** Chromium and Firefox for a navigation that ended so. */
const NO_PAGE = /ERR_ABORTED|NS_BINDING_ABORTED|2152398850/
/** The download is told before the end of the navigation, or so much later. */
const LATER_MS = 300

/** Tells when a frame stays, because where it was to go there is no page. Returns what ends it. */
export function watchStays(tab: number, frame: number, tell: (instead: Instead) => void): () => void {
  const began = Date.now()
  const listener = (step: { tabId: number; frameId: number; url: string; error: string }): void => {
    if (step.tabId === tab && step.frameId === frame && NO_PAGE.test(step.error))
      void insteadOf(step.url, began).then(tell)
  }
  // Typings know the event by fewer fields than there are.
  const event = browser.webNavigation.onErrorOccurred as unknown as {
    addListener(listening: typeof listener): void
    removeListener(listening: typeof listener): void
  }
  event.addListener(listener)
  return () => event.removeListener(listener)
}

async function insteadOf(url: string, began: number): Promise<Instead> {
  const { downloads } = browser
  if (downloads === undefined) return 'network'
  let came = (): void => undefined
  const coming = new Promise<Instead>(resolve => {
    came = () => resolve('download')
  })
  const listener = (item: { url: string; finalUrl?: string }): void => {
    if (item.url === url || item.finalUrl === url) came()
  }
  downloads.onCreated.addListener(listener)
  try {
    const startedAfter = new Date(began).toISOString()
    for (const item of await downloads.search({ startedAfter })) listener(item)
    const late = new Promise<Instead>(resolve => setTimeout(() => resolve('network'), LATER_MS))
    return await Promise.race([coming, late])
  } finally {
    downloads.onCreated.removeListener(listener)
  }
}
