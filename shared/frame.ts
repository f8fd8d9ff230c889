import { z } from 'zod'

/**
 * Frames on the link: companion ⇄ native host ⇄ extension, and companion ⇄ CLI on the same socket.
 * On byte streams a frame is a 4-byte little-endian length and that many bytes of UTF-8 JSON, as in native
 * messaging, so that the host can relay without reading.
 */
export const PROTOCOL = 1
/** A peer one version behind still works; anything older is told to update. */
export const OLDEST_PROTOCOL = 1

/** The browser kills the port over 1 MiB towards the extension; we stay well below in both directions. */
export const CHUNK_CHARS = 200_000
/** A whole message, after its chunks are joined. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** One frame on the stream: a chunk of CHUNK_CHARS can take 3 bytes a char and every quote doubles. */
export const MAX_FRAME_BYTES = 1024 * 1024

const id = z.string().min(1).max(64)
const failure = z.object({ code: z.string(), params: z.record(z.string(), z.unknown()) })

export const Hello = z.object({
  k: z.literal('hello'),
  protocol: z.number().int(),
  version: z.string(),
  capabilities: z.array(z.string()),
  /** Stable for one browser profile; the name is for people. */
  profile: z.object({ id: z.string().min(1), name: z.string() }),
  browser: z.object({ name: z.string(), version: z.string() }),
})
/** The companion's answer to hello: `refused` tells why the link will not be used. */
export const Welcome = z.object({
  k: z.literal('welcome'),
  protocol: z.number().int(),
  version: z.string(),
  refused: failure.nullable(),
})
/** First frame of anybody who opens the socket; nothing else is heard before it. */
export const Attach = z.object({
  k: z.literal('attach'),
  role: z.enum(['host', 'cli', 'mcp']),
  token: z.string(),
  pid: z.number().int(),
  version: z.string(),
  /** Of a host: the extension origin or id that the browser passed it. */
  origin: z.string().optional(),
})
export const Call = z.object({
  k: z.literal('call'),
  id,
  method: z.string(),
  params: z.unknown(),
  /** Absolute, epoch ms. */
  deadline: z.number(),
})
export const Done = z.object({ k: z.literal('done'), id, result: z.unknown() })
export const Fail = z.object({ k: z.literal('fail'), id, failure })
/** The caller no longer wants the answer of call `id`. */
export const Stop = z.object({ k: z.literal('stop'), id })
export const Event = z.object({ k: z.literal('event'), name: z.string(), data: z.unknown() })
export const Chunk = z.object({
  k: z.literal('chunk'),
  id,
  seq: z.number().int().min(0),
  last: z.boolean(),
  text: z.string(),
})
/** Liveness. `to: 'host'` is answered by the relay itself, `to: 'extension'` goes all the way. */
export const Ping = z.object({ k: z.literal('ping'), id, to: z.enum(['host', 'extension']) })
export const Pong = z.object({ k: z.literal('pong'), id })

export const Frame = z.discriminatedUnion('k', [
  Hello,
  Welcome,
  Attach,
  Call,
  Done,
  Fail,
  Stop,
  Event,
  Chunk,
  Ping,
  Pong,
])
export type Frame = z.infer<typeof Frame>
export type FrameOf<K extends Frame['k']> = Extract<Frame, { k: K }>

/** Splits a message into frames that fit every hop; a small one stays as it is. */
export function chunked(frame: Frame, chunkId: () => string): Frame[] {
  const text = JSON.stringify(frame)
  if (text.length <= CHUNK_CHARS) return [frame]
  const chunks: Frame[] = []
  const id = chunkId()
  for (let at = 0, seq = 0; at < text.length; at += CHUNK_CHARS, seq++)
    chunks.push({
      k: 'chunk',
      id,
      seq,
      last: at + CHUNK_CHARS >= text.length,
      text: text.slice(at, at + CHUNK_CHARS),
    })
  return chunks
}

/** Joins chunks again. `push` gives the whole message when its last chunk came, else null. Throws RangeError
 *  on a gap or when the parts together pass `limit` characters, so that a liar cannot fill the memory. */
export class ChunkJoiner {
  readonly #parts = new Map<string, { texts: string[]; chars: number }>()
  readonly #limit: number

  constructor(limit = MAX_MESSAGE_BYTES) {
    this.#limit = limit
  }

  push(chunk: FrameOf<'chunk'>): string | null {
    const open = this.#parts.get(chunk.id) ?? { texts: [], chars: 0 }
    open.chars += chunk.text.length
    if (chunk.seq !== open.texts.length || open.chars > this.#limit) {
      this.#parts.delete(chunk.id)
      throw new RangeError(
        chunk.seq === open.texts.length ? 'message too large' : `chunk ${chunk.seq} out of order`,
      )
    }
    open.texts.push(chunk.text)
    if (!chunk.last) {
      this.#parts.set(chunk.id, open)
      return null
    }
    this.#parts.delete(chunk.id)
    return open.texts.join('')
  }
}
