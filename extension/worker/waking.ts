import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { Debugger } from './debugger.ts'

/** How long a tab that was put away may take to load again before it is used as far as it has come. */
const LOAD_MS = 15_000
/** A page must have some size, or nothing in it can be seen or hit; for when no other tab tells one. */
const USUAL_SIZE = { width: 1280, height: 800 }

/**
 * Wakes a tab that the browser has put away, without putting it in front. One that is discarded is loaded again. Of one
 * that is frozen the group is opened, since Chromium freezes what is in a collapsed one. One that was loaded again
 * behind others has no size, which only the debugger can give it. False when it is not known to be awake now.
 */
export async function wake(tab: Browser.tabs.Tab, debug: Debugger): Promise<boolean> {
  if (tab.frozen && !tab.discarded) {
    await thaw(tab)
    return false
  }
  if (isPutAway(tab)) await load(tab, id => browser.tabs.reload(id))
  else if (await isToCome(tab)) await load(tab, async () => undefined)
  if (isPutAway(tab) || tab.width === 0) await giveSize(tab, debug)
  return true
}

/** Of the tabs of the last time, those behind others are `unloaded` until they are looked at. */
const isPutAway = ({ discarded, status }: Browser.tabs.Tab): boolean => discarded || status === 'unloaded'

/** Whether it is named after a page that it does not show yet, as right after the browser was started anew. */
async function isToCome({ id, status, url = '' }: Browser.tabs.Tab): Promise<boolean> {
  if (id === undefined || status !== 'loading' || !/^https?:/.test(url)) return false
  const frame = await browser.webNavigation.getFrame({ tabId: id, frameId: 0 }).catch(() => null)
  return frame === null || !/^https?:/.test(frame.url)
}

/** Waits until the tab has loaded what `begin` begins. */
async function load({ id }: Browser.tabs.Tab, begin: (id: number) => Promise<void>): Promise<void> {
  if (id === undefined) return
  let end = (): void => undefined
  const loaded = new Promise<void>(resolve => {
    end = resolve
  })
  const look = (updated: number, { status }: { status?: string }): void => {
    if (updated === id && status === 'complete') end()
  }
  const gone = (removed: number): void => {
    if (removed === id) end()
  }
  const timer = setTimeout(end, LOAD_MS)
  browser.tabs.onUpdated.addListener(look)
  browser.tabs.onRemoved.addListener(gone)
  try {
    await begin(id)
    // The news may have come before anybody listened.
    if ((await browser.tabs.get(id)).status !== 'complete') await loaded
  } catch (error) {
    // It was closed meanwhile; whoever uses it is told.
    console.debug(`tab ${id} could not be loaded`, error)
  } finally {
    clearTimeout(timer)
    browser.tabs.onUpdated.removeListener(look)
    browser.tabs.onRemoved.removeListener(gone)
  }
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

/** Chromium keeps an emulated size when there was none before, though it does not tell it of the tab. */
async function giveSize({ id, windowId }: Browser.tabs.Tab, debug: Debugger): Promise<void> {
  if (id === undefined || !debug.available) return
  try {
    if ((await browser.tabs.get(id)).width !== 0) return
    const [shown] = await browser.tabs.query({ windowId, active: true })
    const size = shown?.width ? { width: shown.width, height: shown.height } : USUAL_SIZE
    await debug.on(id, async send => {
      await send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 0, mobile: false })
      await send('Emulation.clearDeviceMetricsOverride')
    })
  } catch (error) {
    if (!Failure.is(error, 'unsupported')) console.warn(`tab ${id} got no size`, error)
  }
}
