import { browser } from 'wxt/browser'

const PAGE = 'watcher.html'

/**
 * Opens the offscreen document that wakes this worker again when it dies (ui/watch.ts). A browser without
 * offscreen documents keeps its background page alive while the native port is open.
 */
export async function ensureWatcher(): Promise<void> {
  if (browser.offscreen === undefined) return
  const url = browser.runtime.getURL(`/${PAGE}`)
  const open = await browser.runtime.getContexts({
    contextTypes: ['OFFSCREEN_DOCUMENT'],
    documentUrls: [url],
  })
  if (open.length > 0) return
  await browser.offscreen.createDocument({
    url: PAGE,
    reasons: ['WORKERS'],
    justification:
      'Notices when the background worker was stopped and wakes it, so that the link comes back.',
  })
}
