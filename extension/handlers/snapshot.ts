import { Failure } from '../../shared/failures.ts'
import type { Snapshot } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { AgentCall } from '../worker/documents.ts'
import { type Frame, frameAt, framesOf } from '../worker/frames.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { frameOfTarget } from './target.ts'

type PageSnapshot = PageMethods['snapshot']['result']
type Rest = Pick<AgentCall<'snapshot'>, 'session' | 'signal' | 'deadline'> & { tab: number }

/** Less than this tells nothing of a frame. */
const MIN_CHARS = 200
/** Of the room that is left: a frame's lines are indented afterwards. */
const SHARE = 0.85

/** The page as text, and in it, under the line of each frame's element, what the frame shows. */
export const snapshotHandler =
  (parts: WorkerParts): WireHandlers['page.snapshot'] =>
  async ({ session, target, max_chars, interactive }, { signal, deadline }) => {
    const tab = await parts.sessions.tabOf(session)
    const rest: Rest = { session, tab, signal, deadline }
    const top = await frameOfTarget(parts, tab, target)
    const main = await takeSnapshot(parts, rest, top, { target, max_chars, interactive })
    if (main === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
    if (main.frames.length === 0) return bare(main)
    const frames = await framesOf(parts.documents, rest)
    return await withFrames(parts, rest, { frame: top, taken: main }, frames, { max_chars, interactive })
  }

/** Null when the document went away meanwhile. */
async function takeSnapshot(
  parts: WorkerParts,
  { tab, ...rest }: Rest,
  frame: number,
  params: PageMethods['snapshot']['params'],
): Promise<PageSnapshot | null> {
  const answer = await parts.documents.ask({ ...rest, place: { tab, frame }, method: 'snapshot', params })
  if (answer === null) return null
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  return answer.value
}

async function withFrames(
  parts: WorkerParts,
  rest: Rest,
  { frame, taken }: { frame: number; taken: PageSnapshot },
  frames: readonly Frame[],
  { max_chars, interactive }: { max_chars: number; interactive: boolean },
): Promise<Snapshot> {
  let whole: Snapshot = bare(taken)
  for (const { ref, index } of taken.frames) {
    const room = Math.floor((max_chars - whole.text.length) * SHARE)
    const inner = frameAt(frames, frame, index)
    if (inner === null) continue
    if (room < MIN_CHARS) return { ...whole, truncated: true }
    const params = { target: null, max_chars: room, interactive }
    const shown = await takeSnapshot(parts, rest, inner, params)
    if (shown === null) continue
    const limits = { max_chars: room, interactive }
    const stitched = await withFrames(parts, rest, { frame: inner, taken: shown }, frames, limits)
    whole = under(whole, ref, stitched)
  }
  return whole
}

/** Puts one snapshot, indented, under the line of the other that holds the ref. */
export function under(whole: Snapshot, ref: string, inner: Snapshot): Snapshot {
  const lines = whole.text.split('\n')
  const at = lines.findIndex(line => line.includes(`[${ref}]`))
  const head = lines[at]
  if (head === undefined) return whole
  const indent = `${/^ */.exec(head)?.[0] ?? ''}  `
  const children = inner.text.split('\n').map(line => indent + line)
  lines.splice(at, 1, head.endsWith(':') ? head : `${head}:`, ...children)
  return {
    ...whole,
    text: lines.join('\n'),
    refs: whole.refs + inner.refs,
    truncated: whole.truncated || inner.truncated,
  }
}

const bare = ({ text, url, title, refs, truncated }: PageSnapshot): Snapshot => ({
  text,
  url,
  title,
  refs,
  truncated,
})
