import { browser } from 'wxt/browser'
import { REPLACED, REPLACED_OR_MOVED } from './navigation.ts'
import type { PageMethods } from './page-agent.ts'

type Instead = PageMethods['stays']['params']['instead']

/** The download is told before the end of the navigation, or so much later. */
const LATER_MS = 300

/** Tells when a frame stays, because where it was to go there is no page. Returns what ends it. */
export function watchStays(tab: number, frame: number, tell: (instead: Instead) => void): () => void {
  const began = Date.now()
  const { onErrorOccurred } = browser.webNavigation
  // Typings know the event by fewer fields than there are.
  const listener = (step: { tabId: number; frameId: number; url: string; error?: string }): void => {
    const { error = '' } = step
    const isWithoutPage = REPLACED.test(error) || REPLACED_OR_MOVED.test(error)
    if (step.tabId === tab && step.frameId === frame && isWithoutPage)
      void insteadOf(step.url, began).then(tell)
  }
  onErrorOccurred.addListener(listener)
  return () => onErrorOccurred.removeListener(listener)
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
  const search = async (): Promise<void> => {
    for (const item of await downloads.search({ startedAfter: new Date(began).toISOString() })) listener(item)
  }
  downloads.onCreated.addListener(listener)
  try {
    await search()
    await Promise.race([coming, new Promise(resolve => setTimeout(resolve, LATER_MS))])
    // A listener that is new to the browser may have missed it.
    await search()
    return await Promise.race([coming, Promise.resolve<Instead>('network')])
  } finally {
    downloads.onCreated.removeListener(listener)
  }
}
