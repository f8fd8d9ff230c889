import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { FoundElement } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'

/** Pages with more frames are full of advertisements. */
const MAX_FRAMES = 30

/** Asks the main frame, and then every other one that lets itself be asked. */
export const findHandler =
  (parts: WorkerParts): WireHandlers['page.find'] =>
  async ({ session, ...params }, call) => {
    const tab = await parts.sessions.tabOf(session)
    const frames = (await browser.webNavigation.getAllFrames({ tabId: tab })) ?? []
    let count = 0
    const found: FoundElement[] = []
    for (const { frameId, url } of frames.toSorted((a, b) => a.frameId - b.frameId).slice(0, MAX_FRAMES)) {
      const place = { tab, frame: frameId }
      const asking = parts.documents.ask({ session, place, method: 'find', params, ...call })
      const answer = await (frameId === 0 ? asking : asking.catch(toldClosed))
      if (frameId === 0 && answer?.ok === false) throw Failure.fromJSON(answer.failure)
      if (!answer?.ok) continue
      count += answer.value.count
      const inFrame = frameId === 0 ? {} : { frame: url }
      found.push(...answer.value.found.map(each => ({ ...each, ...inFrame })))
    }
    return { count, found: found.slice(0, params.limit) }
  }

/** A frame that is closed to extensions shows nothing to anybody who could act in it. */
function toldClosed(error: unknown): null {
  console.debug('a frame is closed', error)
  return null
}
