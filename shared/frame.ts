import { z } from 'zod'

/**
 * Frames on the link: companion ⇄ native host ⇄ extension, and companion ⇄ CLI on the same socket.
 * On byte streams a frame is a 4-byte little-endian length and that many bytes of UTF-8 JSON, as in native
 * messaging, so that the host can relay without reading.
 */
export {
  CHUNK_CHARS,
  ChunkJoiner,
  chunked,
  MAX_FRAME_BYTES,
  MAX_MESSAGE_BYTES,
  PROTOCOL,
} from './chunk.ts'

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
  /** Of a host whose browser `browser.launch` started: the name that it has there. */
  managed: z.string().max(64).optional(),
})
export const Call = z.object({
  k: z.literal('call'),
  id,
  method: z.string(),
  params: z.unknown(),
  /** Absolute, epoch ms. */
  deadline: z.number(),
  /** Origins of sites that the person lets this call touch; the extension touches no other. */
  granted: z.array(z.string()).optional(),
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
