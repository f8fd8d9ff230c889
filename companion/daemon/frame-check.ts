import { Failure } from '../../shared/failures.ts'
import { Frame } from '../../shared/frame.ts'

const KINDS = new Set<unknown>(Frame.options.map(option => option.shape.k.value))

/** For those who must not trust the other side. Fails with frame_invalid. */
export function parseFrame(value: unknown): Frame {
  const parsed = Frame.safeParse(value)
  if (parsed.success) return parsed.data
  const kind = typeof value === 'object' && value !== null && 'k' in value ? value.k : undefined
  const [issue] = parsed.error.issues
  const reason = KINDS.has(kind)
    ? `${kind}: ${issue?.path.join('.')}: ${issue?.message}`
    : `there is no kind ${JSON.stringify(kind)?.slice(0, 40) ?? 'of frame in it'}`
  throw new Failure('frame_invalid', { reason })
}
