import { type Browser, browser } from 'wxt/browser'

/** How long a tab that was put away may take to load again before it is used as far as it has come. */
const LOAD_MS = 15_000

/**
 * Wakes a tab that the browser has put away, without putting it in front: one that is discarded is loaded again, and
 * of one that is frozen the group is opened, since Chromium freezes what is in a collapsed one. True when it is awake.
 */
export async function wake(tab: Browser.tabs.Tab): Promise<boolean> {
  if (tab.discarded) await reload(tab)
  else if (tab.frozen) await thaw(tab)
  else return true
  return false
}

async function reload({ id }: Browser.tabs.Tab): Promise<void> {
  if (id === undefined) return
  const loaded = new Promise<void>(resolve => {
    const end = (): void => {
      clearTimeout(timer)
      browser.tabs.onUpdated.removeListener(look)
      browser.tabs.onRemoved.removeListener(gone)
      resolve()
    }
    const look = (updated: number, { status }: { status?: string }): void => {
      if (updated === id && status === 'complete') end()
    }
    const gone = (removed: number): void => {
      if (removed === id) end()
    }
    const timer = setTimeout(end, LOAD_MS)
    browser.tabs.onUpdated.addListener(look)
    browser.tabs.onRemoved.addListener(gone)
  })
  try {
    await browser.tabs.reload(id)
  } catch (error) {
    // It was closed meanwhile; whoever uses it is told.
    console.debug(`tab ${id} could not be loaded again`, error)
    return
  }
  await loaded
}

async function thaw({ groupId }: Browser.tabs.Tab): Promise<void> {
  // A browser without groups gives no group.
  if (groupId === undefined || groupId < 0) return
  try {
    await browser.tabGroups.update(groupId, { collapsed: false })
  } catch (error) {
    // The group went away meanwhile, and with it what froze the tab; or the person is dragging tabs.
    console.warn('the group of a frozen tab could not be opened', error)
  }
}
