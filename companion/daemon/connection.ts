import { CHUNK_CHARS, type ChunkFrame, ChunkJoiner, chunksOf, MAX_MESSAGE_BYTES } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'
import type { Frame } from '../../shared/frame.ts'
import { encodePayload } from './payload.ts'
import type { PayloadStream } from './payload-stream.ts'

/** Turns what JSON.parse gave into a frame. Fails with frame_invalid. */
export type ParseFrame = (value: unknown) => Frame

export interface ConnectionSettings {
  parse: ParseFrame
  onFrame: (frame: Frame) => void
  /** What the other side is told when it is cut off for a fault. */
  farewell?: (fault: Failure) => Frame
}

/**
 * Whole frames over a payload stream: large ones go in chunks, chunks are joined. Whatever the other side
 * sends, this ends in `onFrame` or, once, in `onClose`; nothing of it throws.
 */
export class FrameConnection {
  readonly #stream: PayloadStream
  readonly #settings: ConnectionSettings
  readonly #joiner = new ChunkJoiner()
  #onFrame: (frame: Frame) => void
  #onClose: ((fault: Failure | null) => void)[] = []
  #closed: { fault: Failure | null } | null = null
  #chunks = 0

  constructor(stream: PayloadStream, settings: ConnectionSettings) {
    this.#stream = stream
    this.#settings = settings
    this.#onFrame = settings.onFrame
    stream.listen({
      payload: payload => this.#receive(payload),
      end: fault => (fault === null ? this.#end(null) : this.#fail(fault)),
    })
  }

  /** Bytes that came so far. */
  get received(): number {
    return this.#stream.received
  }

  /** Bytes that the system has taken so far. */
  get sent(): number {
    return this.#stream.sent
  }

  /** Replaces the one listener; frames that come in one go with its predecessor's last go to the new one. */
  onFrame(listener: (frame: Frame) => void): void {
    this.#onFrame = listener
  }

  /** `fault` is what the other side did wrong, null when it just went. Called at once when it is closed already. */
  onClose(listener: (fault: Failure | null) => void): void {
    if (this.#closed === null) this.#onClose.push(listener)
    else listener(this.#closed.fault)
  }

  /**
   * Fails with frame_too_large; a closed connection takes frames and drops them. False asks for a pause until
   * `onDrain`. `flushed` is called when the system has taken the whole frame.
   */
  send(frame: Frame, flushed?: () => void): boolean {
    if (this.#closed !== null) return true
    const text = JSON.stringify(frame)
    if (text.length > MAX_MESSAGE_BYTES)
      throw new Failure('frame_too_large', { bytes: text.length, limit: MAX_MESSAGE_BYTES })
    if (text.length <= CHUNK_CHARS) return this.#stream.send(encodePayload(text), flushed)
    let isFree = true
    for (const chunk of chunksOf(text, `m${++this.#chunks}`))
      isFree = this.#stream.send(encodePayload(JSON.stringify(chunk)), chunk.last ? flushed : undefined)
    return isFree
  }

  onDrain(listener: () => void): void {
    this.#stream.onDrain = listener
  }

  /** Ends it after `last`, if any, has been sent. `onClose` is called with `fault`. */
  close(last?: Frame, fault: Failure | null = null): void {
    if (last !== undefined) this.send(last)
    this.#end(fault)
  }

  #receive(payload: Buffer): void {
    if (this.#closed !== null) return
    try {
      this.#accept(parseJson(payload.toString()))
    } catch (error) {
      this.#fail(Failure.from(error))
    }
  }

  #fail(fault: Failure): void {
    this.close(this.#settings.farewell?.(fault), fault)
  }

  #accept(value: unknown): void {
    const frame = this.#settings.parse(value)
    const whole = frame.k === 'chunk' ? this.#join(frame) : frame
    if (whole !== null) this.#onFrame(whole)
  }

  /** Null while the last chunk is missing. */
  #join(chunk: ChunkFrame): Frame | null {
    const text = this.#push(chunk)
    if (text === null) return null
    const frame = this.#settings.parse(parseJson(text))
    if (frame.k === 'chunk') throw new Failure('frame_invalid', { reason: 'a chunk within chunks' })
    return frame
  }

  #push(chunk: ChunkFrame): string | null {
    try {
      return this.#joiner.push(chunk)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Failure('frame_invalid', { reason }, { cause })
    }
  }

  #end(fault: Failure | null): void {
    if (this.#closed !== null) return
    this.#closed = { fault }
    const listeners = this.#onClose
    this.#onClose = []
    for (const listener of listeners) listener(fault)
    this.#stream.finish()
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('frame_invalid', { reason: 'it is not JSON' }, { cause })
  }
}
