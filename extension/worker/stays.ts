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
