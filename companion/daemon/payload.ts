import { MAX_FRAME_BYTES } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'

const HEADER_BYTES = 4

/** Puts the length before the JSON text. Fails with frame_too_large. */
export function encodePayload(json: string): Buffer {
  const bytes = Buffer.byteLength(json)
  if (bytes > MAX_FRAME_BYTES) throw new Failure('frame_too_large', { bytes, limit: MAX_FRAME_BYTES })
  const out = Buffer.allocUnsafe(HEADER_BYTES + bytes)
  out.writeUInt32LE(bytes)
  out.write(json, HEADER_BYTES)
  return out
}

/** Puts the length before bytes that came from a decoder. */
export function wrapPayload(payload: Buffer): Buffer {
  const head = Buffer.allocUnsafe(HEADER_BYTES)
  head.writeUInt32LE(payload.length)
  return Buffer.concat([head, payload])
}

/** Cuts a byte stream into payloads, however the stream was split on its way. */
export class PayloadDecoder {
  #parts: Buffer[] = []
  #bytes = 0
  /** Length of the payload under way; null while its header is incomplete. */
  #expected: number | null = null

  /** Hands each complete payload over before it looks at the next. Fails with frame_too_large. */
  push(bytes: Buffer, onPayload: (payload: Buffer) => void): void {
    this.#parts.push(bytes)
    this.#bytes += bytes.length
    for (let payload = this.#next(); payload !== null; payload = this.#next()) onPayload(payload)
  }

  /** Bytes of an incomplete frame; not 0 at the end of a stream means that it was truncated. */
  get pending(): number {
    return this.#expected === null ? this.#bytes : this.#bytes + HEADER_BYTES
  }

  #next(): Buffer | null {
    if (this.#expected === null) {
      if (this.#bytes < HEADER_BYTES) return null
      const length = this.#take(HEADER_BYTES).readUInt32LE()
      if (length > MAX_FRAME_BYTES)
        throw new Failure('frame_too_large', { bytes: length, limit: MAX_FRAME_BYTES })
      this.#expected = length
    }
    if (this.#bytes < this.#expected) return null
    const payload = this.#take(this.#expected)
    this.#expected = null
    return payload
  }

  /** Joins parts only when there is enough, so that a large payload in many parts is copied once. */
  #take(count: number): Buffer {
    const [first = Buffer.alloc(0)] = this.#parts
    const whole = first.length >= count ? first : Buffer.concat(this.#parts)
    const rest = whole.subarray(count)
    const others = whole === first ? this.#parts.slice(1) : []
    this.#parts = rest.length > 0 ? [rest, ...others] : others
    this.#bytes -= count
    return whole.subarray(0, count)
  }
}
