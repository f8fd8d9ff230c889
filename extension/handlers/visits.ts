import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { Visited } from '../../shared/state-values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { hasRequestEvents } from '../worker/observer.ts'

/** Only with the person's leave: both permissions are optional, and the person gives and takes them. */
export const searchVisits: WireHandlers['visits.search'] = async ({ from, text, since, limit }) => {
  if (!hasRequestEvents())
    throw new Failure('unsupported', {
      what: `Searching the ${from}`,
      where: 'a browser that is reached by its DevTools socket',
      hint: 'Use a browser that has the extension: "unicli browser launch" without --cdp, or the person\'s own.',
    })
  if (!(await browser.permissions.contains({ permissions: [from] })))
    throw new Failure('browser_permission_missing', { permission: from })
  if (from === 'bookmarks') return (await bookmarks(text)).slice(0, limit)
  const found = await browser.history.search({ text, startTime: since ?? 0, maxResults: limit })
  return found.map(({ url = '', title = '', lastVisitTime = null, visitCount = null }) => ({
    ...{ url, title, at: lastVisitTime, visits: visitCount, folder: null },
  }))
}

async function bookmarks(text: string): Promise<Visited[]> {
  const found =
    text === '' ? leavesOf(await browser.bookmarks.getTree()) : await browser.bookmarks.search(text)
  const kept = found.filter(({ url }) => url !== undefined)
  return await Promise.all(
    kept.map(async ({ url = '', title, dateAdded = null, parentId }) => ({
      ...{ url, title, at: dateAdded, visits: null, folder: await folderOf(parentId) },
    })),
  )
}

const leavesOf = (nodes: Browser.bookmarks.BookmarkTreeNode[]): Browser.bookmarks.BookmarkTreeNode[] =>
  nodes.flatMap(node => (node.children === undefined ? [node] : leavesOf(node.children)))

async function folderOf(id: string | undefined): Promise<string | null> {
  const names: string[] = []
  for (let at = id; at !== undefined && at !== '0'; ) {
    const [node] = await browser.bookmarks.get(at)
    if (node === undefined) break
    if (node.title !== '') names.unshift(node.title)
    at = node.parentId
  }
  return names.length === 0 ? null : names.join(' / ')
}
