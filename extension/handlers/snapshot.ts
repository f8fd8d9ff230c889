import { Failure } from '../../shared/failures.ts'
import type { Snapshot } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { AgentCall } from '../worker/documents.ts'
import { type Frame, frameAt, framesOf } from '../worker/frames.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { frameOfTarget } from './target.ts'

type PageSnapshot = PageMethods['snapshot']['result']
type Params = PageMethods['snapshot']['params']
type Rest = Pick<AgentCall<'snapshot'>, 'session' | 'signal' | 'deadline'> & { tab: number }

/** Less than this tells nothing of a frame. */
const MIN_TOKENS = 60
/** Of the room that is left: a frame's lines are indented afterwards. */
const SHARE = 0.9

/** The page as text, and in it, under the line of each frame's element, what the frame shows. */
export const snapshotHandler =
  (parts: WorkerParts): WireHandlers['page.snapshot'] =>
  async ({ session, ...params }, { signal, deadline }) => {
    const tab = await parts.sessions.tabOf(session)
    const rest: Rest = { session, tab, signal, deadline }
    const top = await frameOfTarget(parts, { session, tab }, params.after ?? params.target)
    const main = await takeSnapshot(parts, rest, top, params)
    if (main === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
    if (main.frames.length === 0) return bare(main)
    const frames = await framesOf(parts.documents, rest)
    return bare(await withFrames(parts, rest, { frame: top, taken: main }, frames, params))
  }

/** Null when the document went away meanwhile. */
async function takeSnapshot(
  parts: WorkerParts,
  { tab, ...rest }: Rest,
  frame: number,
  params: Params,
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
  params: Params,
): Promise<PageSnapshot> {
  let whole = taken
  for (const { ref, index } of taken.frames) {
    const inner = frameAt(frames, frame, index)
    if (inner === null) continue
    const room = Math.floor((params.max_tokens - whole.tokens) * SHARE)
    if (room < MIN_TOKENS) return { ...whole, truncated: true }
    const within = { ...params, target: null, after: null, max_tokens: room }
    const shown = await takeSnapshot(parts, rest, inner, within)
    if (shown === null) continue
    const stitched = await withFrames(parts, rest, { frame: inner, taken: shown }, frames, within)
    whole = params.since ? beside(whole, ref, stitched) : under(whole, ref, stitched)
  }
  return whole
}

/** What of a frame is different, after what of the page around it is. */
function beside(whole: PageSnapshot, ref: string, inner: PageSnapshot): PageSnapshot {
  if (inner.text === NOTHING_DIFFERENT) return whole
  const lines = inner.text.split('\n').map(line => `  ${line}`)
  const outer = whole.text === NOTHING_DIFFERENT ? [] : [whole.text]
  return { ...joined(whole, inner), text: [...outer, `in iframe [${ref}]:`, ...lines].join('\n') }
}

const NOTHING_DIFFERENT = '(nothing is different)'

const joined = (whole: PageSnapshot, inner: PageSnapshot): PageSnapshot => ({
  ...whole,
  refs: whole.refs + inner.refs,
  tokens: whole.tokens + Math.ceil(inner.tokens / SHARE),
  truncated: whole.truncated || inner.truncated,
})

/** Puts one snapshot, indented, under the line of the other that holds the ref. */
export function under(whole: PageSnapshot, ref: string, inner: PageSnapshot): PageSnapshot {
  const lines = whole.text.split('\n')
  const at = lines.findIndex(line => line.includes(`[${ref}]`))
  const head = lines[at]
  if (head === undefined) return whole
  const indent = `${/^ */.exec(head)?.[0] ?? ''}  `
  const children = inner.text.split('\n').map(line => indent + line)
  lines.splice(at, 1, head.endsWith(':') ? head : `${head}:`, ...children)
  return { ...joined(whole, inner), text: lines.join('\n') }
}

const bare = ({ tokens: _, frames: __, ...snapshot }: PageSnapshot): Snapshot => snapshot
