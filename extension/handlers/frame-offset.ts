import { Failure } from '../../shared/failures.ts'
import type { Box } from '../page/picturing.ts'
import type { AgentCall } from '../worker/documents.ts'
import type { Frame } from '../worker/frames.ts'
import type { WorkerParts } from '../worker/worker.ts'

export type Rest = Pick<AgentCall<'frame_box'>, 'session' | 'signal' | 'deadline'> & { tab: number }

/** Where the left upper corner of a frame's viewport is in the viewport of the tab, and what of it can be seen. */
export async function frameOffset(
  { documents }: WorkerParts,
  { tab, ...rest }: Rest,
  frames: readonly Frame[],
  frame: number,
): Promise<Box> {
  const whole = { x: 0, y: 0, width: Number.POSITIVE_INFINITY, height: Number.POSITIVE_INFINITY }
  for (let at = frame; at !== 0; ) {
    const known = frames.find(({ id }) => id === at)
    const place = { tab, frame: known?.parent ?? 0 }
    const params = { index: known?.index ?? -1 }
    const answer = known && (await documents.ask({ ...rest, place, method: 'frame_box', params }))
    const box = answer?.ok ? answer.value.box : null
    if (known === undefined || box === null)
      throw new Failure('element_not_ready', {
        target: 'the frame',
        reason: 'its place in the page cannot be told',
      })
    whole.x += box.x
    whole.y += box.y
    if (at === frame) Object.assign(whole, { width: box.width, height: box.height })
    at = known.parent
  }
  return whole
}
