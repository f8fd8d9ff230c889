import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import { documentOf } from '../worker/documents.ts'
import type { WorkerParts } from '../worker/worker.ts'

interface Where {
  /** As the call names it: what it may touch hangs on it. */
  session: string
  tab: number
}

/**
 * A ref leads to the frame of its document. A selector that fits nothing in the main frame leads to the one frame in
 * which it fits something; else to the main frame, where what is not there yet is waited for.
 * Fails with ref_gone, element_ambiguous.
 */
export async function frameOfTarget(
  parts: WorkerParts,
  where: Where,
  target: string | null,
): Promise<number> {
  const { tab } = where
  if (target === null) return 0
  if (documentOf(target) !== '') return await parts.documents.frameOf(tab, target)
  const frames = (await browser.webNavigation.getAllFrames({ tabId: tab })) ?? []
  if (frames.length < 2 || (await fitting(parts, where, 0, target)) !== 0) return 0
  const inner = frames.filter(({ frameId }) => frameId !== 0).slice(0, MAX_FRAMES)
  const counts = await Promise.all(
    inner.map(async frame => ({
      ...frame,
      count: (await fitting(parts, where, frame.frameId, target)) ?? 0,
    })),
  )
  const holding = counts.filter(({ count }) => count > 0)
  if (holding.length > 1) {
    const count = holding.reduce((sum, frame) => sum + frame.count, 0)
    const candidates = holding.map(frame => `${frame.count} in the frame ${frame.url}`)
    throw new Failure('element_ambiguous', { target, count, candidates })
  }
  return holding[0]?.frameId ?? 0
}

const MAX_FRAMES = 30
/** A frame that does not answer at once, such as one that a dialog holds, is not waited for. */
const SEEK_MS = 1000

/** How many elements of a frame fit; null when it does not say. */
async function fitting(
  parts: WorkerParts,
  { session, tab }: Where,
  frame: number,
  target: string,
): Promise<number | null> {
  const signal = AbortSignal.timeout(SEEK_MS)
  const call = { session, place: { tab, frame }, signal, deadline: Date.now() + SEEK_MS }
  try {
    const answer = await parts.documents.ask({ ...call, method: 'seek', params: { target } })
    return answer?.ok ? answer.value.count : null
  } catch (error) {
    console.debug(`frame ${frame} could not be asked`, error)
    return null
  }
}
