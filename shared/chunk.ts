/**
 * Limits and splitting of messages. Without zod, because the native host and the CLI start with this alone;
 * shared/frame.ts offers it too.
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

export interface ChunkFrame {
  k: 'chunk'
  id: string
  seq: number
  last: boolean
  text: string
}

/** Splits a message into frames that fit every hop; a small one stays as it is. */
export function chunked<F extends { k: string }>(frame: F, chunkId: () => string): (F | ChunkFrame)[] {
  const text = JSON.stringify(frame)
  return text.length <= CHUNK_CHARS ? [frame] : chunksOf(text, chunkId())
}

/** The chunks of a message that is JSON text already. */
export function chunksOf(text: string, id: string): ChunkFrame[] {
  const chunks: ChunkFrame[] = []
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
 *  on a gap or when the parts that wait together pass `limit` characters, so that a liar cannot fill the memory. */
export class ChunkJoiner {
  readonly #parts = new Map<string, { texts: string[]; chars: number }>()
  readonly #limit: number
  #waiting = 0

  constructor(limit = MAX_MESSAGE_BYTES) {
    this.#limit = limit
  }

  push(chunk: ChunkFrame): string | null {
    const open = this.#parts.get(chunk.id) ?? { texts: [], chars: 0 }
    const inOrder = chunk.seq === open.texts.length
    if (!inOrder || this.#waiting + chunk.text.length > this.#limit) {
      this.#forget(chunk.id, open.chars)
      throw new RangeError(inOrder ? 'message too large' : `chunk ${chunk.seq} out of order`)
    }
    open.texts.push(chunk.text)
    open.chars += chunk.text.length
    this.#waiting += chunk.text.length
    if (!chunk.last) {
      this.#parts.set(chunk.id, open)
      return null
    }
    this.#forget(chunk.id, open.chars)
    return open.texts.join('')
  }

  #forget(id: string, chars: number): void {
    this.#parts.delete(id)
    this.#waiting -= chars
  }
}
