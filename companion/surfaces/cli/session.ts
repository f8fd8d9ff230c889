import { Failure } from '../../../shared/failures.ts'
import type { Frame, FrameOf } from '../../../shared/frame.ts'
import { CLI_EVENT, type CliResult, RUN_METHOD } from './channel.ts'
import type { CliSurface } from './surface.ts'

/** An attached client, as the companion's server gives it. */
export interface CliPeer {
  /** False asks for a pause until `onDrain`. */
  send(frame: Frame): boolean
  onDrain(listener: () => void): void
  onFrame(listener: (frame: Frame) => void): void
  onClose(listener: () => void): void
}

/** Characters of output in one frame. */
const PIECE_CHARS = 64 * 1024

/** Answers the calls of one thin client, each with its own streams, until it goes away. */
export function serveCli(surface: CliSurface, peer: CliPeer): void {
  const outbox = new Outbox(peer)
  const calls = new Map<string, { abort: AbortController; stdin: Stdin }>()
  peer.onClose(() => {
    for (const call of calls.values()) call.abort.abort()
  })
  peer.onFrame(frame => {
    if (frame.k === 'stop') calls.get(frame.id)?.abort.abort()
    else if (frame.k === 'event' && frame.name === CLI_EVENT.in)
      for (const call of calls.values()) call.stdin.push(frame.data)
    else if (frame.k === 'call') void answer(frame)
  })

  async function answer({ id, method, params }: FrameOf<'call'>): Promise<void> {
    const call = { abort: new AbortController(), stdin: new Stdin(() => tell(CLI_EVENT.wantStdin, null)) }
    calls.set(id, call)
    try {
      if (method !== RUN_METHOD)
        throw new Failure('frame_invalid', { reason: `there is no method "${method}"` })
      const exit_code = await surface.run(params, {
        out: text => tell(CLI_EVENT.out, text),
        err: text => tell(CLI_EVENT.err, text),
        effect: effect => tell(CLI_EVENT.effect, effect),
        stdin: () => call.stdin.read(),
        signal: call.abort.signal,
      })
      outbox.send({ k: 'done', id, result: { exit_code } satisfies CliResult })
    } catch (error) {
      outbox.send({ k: 'fail', id, failure: Failure.from(error).toJSON() })
    } finally {
      calls.delete(id)
    }
  }

  const tell = (name: string, data: unknown) => {
    const pieces = typeof data === 'string' ? piecesOf(data) : [data]
    for (const piece of pieces) outbox.send({ k: 'event', name, data: piece })
  }
}

/** Keeps frames back while the client does not read; their order is theirs. */
class Outbox {
  readonly #peer: CliPeer
  readonly #waiting: Frame[] = []
  #isFree = true

  constructor(peer: CliPeer) {
    this.#peer = peer
    peer.onDrain(() => this.#drain())
  }

  send(frame: Frame): void {
    if (this.#isFree) this.#isFree = this.#peer.send(frame)
    else this.#waiting.push(frame)
  }

  #drain(): void {
    this.#isFree = true
    while (this.#isFree && this.#waiting.length > 0) {
      const next = this.#waiting.shift()
      if (next !== undefined) this.#isFree = this.#peer.send(next)
    }
  }
}

/** The client's stdin, asked for at the first read. It is one stream: who reads later gets what is left. */
class Stdin {
  readonly #want: () => void
  readonly #chunks: string[] = []
  #isWanted = false
  #isEnded = false
  #wake: (() => void) | null = null

  constructor(want: () => void) {
    this.#want = want
  }

  push(data: unknown): void {
    if (typeof data === 'string') this.#chunks.push(data)
    else this.#isEnded = true
    this.#wake?.()
  }

  async *read(): AsyncGenerator<string> {
    if (!this.#isWanted) this.#want()
    this.#isWanted = true
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) yield chunk
      else if (this.#isEnded) return
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
    }
  }
}

/** A pair of surrogates is not cut: each half alone would be lost on its way. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + PIECE_CHARS, text.length)
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1
    yield text.slice(at, end)
    at = end
  }
}
