import type { Readable, Writable } from 'node:stream'
import { MAX_MESSAGE_BYTES } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'
import { PayloadDecoder } from './payload.ts'

export interface PayloadListener {
  payload(payload: Buffer): void
  /** Comes once. `fault` is what was wrong with the stream; null for an end like any other. */
  end(fault: Failure | null): void
}

/** More than this waiting for a reader that does not read, and the stream is given up. */
const MAX_BUFFERED_BYTES = 2 * MAX_MESSAGE_BYTES
/** Above it `send` asks the sender to wait for `onDrain`. */
const HIGH_WATER_BYTES = 1024 * 1024
const FINISH_WITHIN_MS = 1000

/**
 * Payloads over a byte stream in both directions. Nothing is read before there is a listener, and what came
 * between two listeners waits for the second.
 */
export class PayloadStream {
  readonly #readable: Readable
  readonly #writable: Writable
  readonly #decoder = new PayloadDecoder()
  readonly #early: Buffer[] = []
  readonly #queue: { bytes: Buffer; flushed: (() => void) | undefined }[] = []
  readonly #flushes: (() => void)[] = []
  #listener: PayloadListener | null = null
  #ended: { fault: Failure | null } | null = null
  #isReading = false
  #isWriting = false
  #isFinishing = false
  #queued = 0
  #received = 0
  #sent = 0
  /** Called when everything sent so far has been taken by the other side. */
  onDrain: (() => void) | null = null

  constructor(readable: Readable, writable: Writable) {
    this.#readable = readable
    this.#writable = writable
    readable.on('end', () => this.#end(this.#truncation()))
    // ECONNRESET and EPIPE say that the other side is gone, which is what the end says too.
    readable.on('error', () => this.#end(null))
    readable.on('close', () => this.#end(null))
    writable.on('error', () => this.#end(null))
    writable.on('close', () => this.#end(null))
  }

  /** Bytes that came so far. */
  get received(): number {
    return this.#received
  }

  /** Bytes that the system has taken so far. */
  get sent(): number {
    return this.#sent
  }

  listen(listener: PayloadListener): void {
    this.#listener = listener
    for (let payload = this.#early.shift(); payload !== undefined; payload = this.#early.shift()) {
      listener.payload(payload)
      if (this.#listener !== listener) return
    }
    if (this.#ended !== null) listener.end(this.#ended.fault)
    else if (this.#isReading) this.#readable.resume()
    else this.#startReading()
  }

  /** Stops reading until the next `listen`. */
  unlisten(): void {
    this.#listener = null
    this.#readable.pause()
  }

  pause(): void {
    this.#readable.pause()
  }

  resume(): void {
    if (this.#listener !== null) this.#readable.resume()
  }

  /**
   * Sends bytes that carry their length already. False asks for a pause until `onDrain`. `flushed` is called
   * when the system has taken all of them; as long as it was not, the other side cannot have the whole frame.
   */
  send(bytes: Buffer, flushed?: () => void): boolean {
    if (!this.#writable.writable || this.#isFinishing) return true
    this.#queue.push({ bytes, flushed })
    this.#queued += bytes.length
    if (this.#queued > MAX_BUFFERED_BYTES) {
      this.#end(new Failure('frame_too_large', { bytes: this.#queued, limit: MAX_BUFFERED_BYTES }))
      this.destroy()
    } else this.#pump()
    return this.#queued < HIGH_WATER_BYTES
  }

  /** Ends the stream after what was sent; without patience for a reader that does not read. */
  finish(): void {
    if (this.#isFinishing) return
    this.#isFinishing = true
    setTimeout(() => this.destroy(), FINISH_WITHIN_MS).unref()
    if (this.#queue.length === 0) this.#writable.end()
  }

  /** Resolves when all that was sent has been taken, or when there is nobody to take it. */
  async flush(): Promise<void> {
    if (this.#queue.length === 0 || this.#writable.destroyed) return
    await new Promise<void>(resolve => {
      this.#flushes.push(resolve)
      this.#writable.once('close', resolve)
      setTimeout(resolve, FINISH_WITHIN_MS).unref()
    })
  }

  destroy(): void {
    this.#queue.length = 0
    this.#readable.destroy()
    this.#writable.destroy()
  }

  #startReading(): void {
    this.#isReading = true
    this.#readable.on('data', (bytes: Buffer) => {
      this.#received += bytes.length
      if (this.#ended !== null) return
      try {
        this.#decoder.push(bytes, payload => this.#deliver(payload))
      } catch (error) {
        this.#end(Failure.from(error))
      }
    })
  }

  #deliver(payload: Buffer): void {
    if (this.#ended !== null) return
    if (this.#listener === null) this.#early.push(payload)
    else this.#listener.payload(payload)
  }

  /** One write at a time, so that progress is seen within a large message. */
  #pump(): void {
    const [next] = this.#queue
    if (this.#isWriting || next === undefined) return
    this.#isWriting = true
    this.#writable.write(next.bytes, error => {
      this.#isWriting = false
      if (error || this.#queue.length === 0) return
      this.#queue.shift()
      this.#queued -= next.bytes.length
      this.#sent += next.bytes.length
      next.flushed?.()
      if (this.#queue.length > 0) this.#pump()
      else this.#drained()
    })
  }

  #drained(): void {
    for (const resolve of this.#flushes.splice(0)) resolve()
    if (this.#isFinishing) this.#writable.end()
    else this.onDrain?.()
  }

  #truncation(): Failure | null {
    const { pending } = this.#decoder
    return pending === 0
      ? null
      : new Failure('frame_invalid', { reason: `the stream ended ${pending} bytes into a frame` })
  }

  #end(fault: Failure | null): void {
    if (this.#ended !== null) return
    this.#ended = { fault }
    this.#listener?.end(fault)
  }
}
