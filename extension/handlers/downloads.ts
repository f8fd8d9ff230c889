import { type Browser, browser } from 'wxt/browser'
import type { WireHandlers } from '../../shared/wire.ts'
import { hearDownloads, toldOf, whole } from '../worker/downloads.ts'
import { originOf } from '../worker/site-gate.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { actHandlers } from './acts.ts'

type Item = Browser.downloads.DownloadItem
type Methods = 'download.get' | 'download.list' | 'download.remove'

export function downloadHandlers(parts: WorkerParts): Pick<WireHandlers, Methods> {
  return { 'download.get': (params, call) => got(parts, params, call), ...kept }
}

const got = async (...[parts, params, call]: [WorkerParts, ...Parameters<WireHandlers['download.get']>]) => {
  if (params.url === null) return await byClick(parts, params, call)
  const id = await browser.downloads.download({
    url: params.url,
    saveAs: false,
    conflictAction: 'uniquify',
  })
  return await whole(id, call.signal)
}

const kept: Pick<WireHandlers, 'download.list' | 'download.remove'> = {
  'download.list': async ({ query, limit }) => {
    const found = await browser.downloads.search({
      ...(query === null ? {} : { query: [query] }),
      ...{ limit, orderBy: ['-startTime'] },
    })
    return found.map(toldOf)
  },
  'download.remove': async ({ id }) => {
    try {
      await browser.downloads.removeFile(id)
      await browser.downloads.erase({ id })
      return { removed: true }
    } catch (error) {
      console.debug(`download ${id} could not be removed`, error)
      return { removed: false }
    }
  },
}

async function byClick(
  parts: WorkerParts,
  { session, target }: { session: string; target: string | null },
  call: { signal: AbortSignal; deadline: number },
): ReturnType<WireHandlers['download.get']> {
  const tab = await parts.sessions.tabOf(session)
  const page = (await browser.tabs.get(tab)).url ?? ''
  const heard = hearDownloads()
  try {
    if (target !== null) {
      const way = { count: 1, button: 'left' as const, modifiers: [], position: null }
      await actHandlers(parts)['page.click']({ session, target, ...way }, call)
    }
    const { id } = await heard.first(item => isOf(item, page), call.signal)
    parts.begun.add(tab)
    return await whole(id, call.signal)
  } finally {
    heard.end()
  }
}

/** A download does not say of which tab it is, but mostly of which page. */
function isOf(item: Item, page: string): boolean {
  const origin = originOf(page)
  // Of a blob the origin is that of the page that made it.
  const from = [item.referrer, item.url, item.finalUrl].map((url = '') => originOf(url))
  return from.includes(origin) || (item.referrer ?? '') === '' || item.url.startsWith('data:')
}
