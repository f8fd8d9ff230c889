import { browser } from 'wxt/browser'

const TITLE = 'unicli'

/**
 * Puts a tab into our group, where a browser has groups. Only for looks: nothing is derived from it. It is left
 * open, because Chromium freezes the pages of a collapsed group, and in a frozen page nothing runs.
 */
export async function groupTab(tab: number, windowId: number): Promise<void> {
  if (browser.tabGroups === undefined || browser.tabs.group === undefined) return
  try {
    const [group] = await browser.tabGroups.query({ title: TITLE, windowId })
    if (group !== undefined) {
      await browser.tabs.group({ tabIds: tab, groupId: group.id })
      return
    }
    const made = await browser.tabs.group({ tabIds: tab, createProperties: { windowId } })
    await browser.tabGroups.update(made, { title: TITLE, color: 'grey' })
  } catch (error) {
    // The tab or window went away, or the person is dragging tabs.
    console.warn('the tab could not be grouped', error)
  }
}
