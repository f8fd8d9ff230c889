import { browser } from 'wxt/browser'
import type { AgentCall, Documents } from './documents.ts'

/** One frame of a tab: where its element stands among the frames of its parent's window. */
export interface Frame {
  id: number
  parent: number
  /** -1 in a shadow tree, where the parent's window does not count it. */
  index: number
}

/** So many frames are looked into; pages with more are full of advertisements. */
const MAX_FRAMES = 30

/**
 * The frames below the main frame that an extension can look into. Each one itself tells its place, by comparing
 * windows, so that nothing has to be written into the page to recognize it.
 */
export async function framesOf(
  documents: Documents,
  call: Omit<AgentCall<'frame'>, 'method' | 'params' | 'place'> & { tab: number },
): Promise<Frame[]> {
  const { tab, ...rest } = call
  const all = (await browser.webNavigation.getAllFrames({ tabId: tab })) ?? []
  const inner = all.filter(frame => frame.parentFrameId >= 0 && !frame.errorOccurred).slice(0, MAX_FRAMES)
  const found = await Promise.all(
    inner.map(async ({ frameId, parentFrameId }): Promise<Frame[]> => {
      const place = { tab, frame: frameId }
      const answer = await documents.ask({ ...rest, place, method: 'frame', params: {} }).catch(error => {
        // A frame that is closed to extensions, such as one of another extension.
        console.debug(`frame ${frameId} is closed`, error)
        return null
      })
      if (!answer?.ok) return []
      return [{ id: frameId, parent: parentFrameId, index: answer.value.index ?? -1 }]
    }),
  )
  return found.flat()
}

/** The frame of an element that is its parent's frame number `index`; in a shadow tree only an unambiguous one. */
export function frameAt(frames: readonly Frame[], parent: number, index: number): number | null {
  const fitting = frames.filter(frame => frame.parent === parent && frame.index === index)
  const [only] = fitting
  return only !== undefined && fitting.length === 1 ? only.id : null
}

/** The frame and each one around it, from the inside out, with its parent; empty for the main frame. */
export async function frameChain(tab: number, frame: number): Promise<{ frame: number; parent: number }[]> {
  if (frame === 0) return []
  const all = (await browser.webNavigation.getAllFrames({ tabId: tab })) ?? []
  const parents = new Map(all.map(({ frameId, parentFrameId }) => [frameId, parentFrameId]))
  const chain: { frame: number; parent: number }[] = []
  for (let at = frame; at !== 0; ) {
    const parent = parents.get(at)
    if (parent === undefined || parent < 0) break
    chain.push({ frame: at, parent })
    at = parent
  }
  return chain
}
