import { Failure } from '../../shared/failures.ts'
import { CHUNK_CHARS, ChunkJoiner, chunked, Frame, MAX_MESSAGE_BYTES } from '../../shared/frame.ts'

/** The part of a native port that a channel uses. */
export interface NativePort {
  postMessage(message: unknown): void
  disconnect(): void
  onMessage: { addListener(listener: (message: unknown) => void): void }
}

/** What came in and is no frame. `id` is there when it looked like a call, so that it can be refused. */
export interface FrameFault {
  reason: string
  id: string | null
}

/**
 * Whole frames over one native port: splits what is large, joins what comes in pieces. Whatever the other side
 * sends ends in `onFrame` or `onFault`; nothing of it throws.
 */
export class FrameChannel {
  readonly #port: NativePort
  readonly #joiner = new ChunkJoiner()
  readonly #onFrame: (frame: Frame) => void
  readonly #onFault: (fault: FrameFault) => void
  #chunks = 0

  constructor(port: NativePort, onFrame: (frame: Frame) => void, onFault: (fault: FrameFault) => void) {
    this.#port = port
    this.#onFrame = onFrame
    this.#onFault = onFault
    port.onMessage.addListener(message => this.#receive(message))
  }

  /** Fails with frame_too_large; throws the browser's own error when the port is closed. */
  send(frame: Frame): void {
    const frames = chunked(frame, () => `x${++this.#chunks}`)
    const chars = (frames.length - 1) * CHUNK_CHARS
    if (chars > MAX_MESSAGE_BYTES)
      throw new Failure('frame_too_large', { bytes: chars, limit: MAX_MESSAGE_BYTES })
    for (const piece of frames) this.#port.postMessage(piece)
  }

  close(): void {
    this.#port.disconnect()
  }

  #receive(message: unknown): void {
    const parsed = Frame.safeParse(message)
    if (!parsed.success) {
      this.#onFault({ reason: `unknown frame ${kindOf(message)}`, id: idOf(message) })
      return
    }
    if (parsed.data.k !== 'chunk') {
      this.#onFrame(parsed.data)
      return
    }
    const whole = this.#join(parsed.data)
    if (whole !== null) this.#receive(whole)
  }

  #join(chunk: Extract<Frame, { k: 'chunk' }>): unknown {
    try {
      const text = this.#joiner.push(chunk)
      if (text === null) return null
      const whole: unknown = JSON.parse(text)
      if (kindOf(whole) === 'chunk') throw new RangeError('chunk within chunks')
      return whole
    } catch (error) {
      // RangeError of the joiner or SyntaxError of JSON.parse: the message is lost, the port goes on.
      this.#onFault({ reason: `chunks: ${error instanceof Error ? error.message : String(error)}`, id: null })
      return null
    }
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const kindOf = (message: unknown): string => (isRecord(message) ? String(message.k) : typeof message)

const idOf = (message: unknown): string | null =>
  isRecord(message) && message.k === 'call' && typeof message.id === 'string' && message.id.length <= 64
    ? message.id
    : null
