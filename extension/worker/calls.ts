import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { Frame, FrameOf } from '../../shared/frame.ts'
import { WIRE, type WireHandlers, type WireMethod } from '../../shared/wire.ts'

type Handler = (
  params: unknown,
  call: { signal: AbortSignal; deadline: number; granted: readonly string[] },
) => Promise<unknown>
type Send = (frame: Frame) => void

interface OpenCall {
  method: string
  abort: AbortController
  send: Send
}

/** setTimeout counts in 32 bits; a later deadline would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * The calls that the companion has under way here. Each is answered exactly once: by its handler, or at its
 * deadline, whichever is first; never after `stop` or `abortAll`, whose caller no longer listens.
 */
export class CallTable {
  readonly #handlers: WireHandlers
  readonly #open = new Map<string, OpenCall>()
  readonly #onIdle: () => void

  constructor(handlers: WireHandlers, onIdle: () => void = () => undefined) {
    this.#handlers = handlers
    this.#onIdle = onIdle
  }

  get size(): number {
    return this.#open.size
  }

  accept(frame: FrameOf<'call'>, send: Send): void {
    if (this.#open.has(frame.id)) {
      console.warn(`call ${frame.id} (${frame.method}) came twice; the second is ignored`)
      return
    }
    try {
      const { handler, params } = this.#prepare(frame)
      this.#run(frame, handler, params, send)
    } catch (error) {
      send({ k: 'fail', id: frame.id, failure: Failure.from(error).toJSON() })
    }
  }

  stop(id: string): void {
    const call = this.#open.get(id)
    if (call === undefined) return
    this.#open.delete(id)
    call.abort.abort(new Failure('cancelled', { by: 'caller' }))
    this.#idle()
  }

  abortAll(reason: Failure): void {
    const calls = [...this.#open.values()]
    this.#open.clear()
    for (const call of calls) call.abort.abort(reason)
    this.#idle()
  }

  #prepare(frame: FrameOf<'call'>): { handler: Handler; params: unknown } {
    if (!isMethod(frame.method))
      throw new Failure('unsupported', {
        what: frame.method,
        where: 'this version of the extension',
        hint: 'Update the extension.',
      })
    const params = WIRE[frame.method].params.safeParse(frame.params)
    if (!params.success)
      throw new Failure('bad_request', { reason: `${frame.method}: ${z.prettifyError(params.error)}` })
    if (frame.deadline <= Date.now()) throw late(frame.method, 0)
    // The handler of a method takes that method's params; TypeScript cannot pair them through the index.
    return { handler: this.#handlers[frame.method] as Handler, params: params.data }
  }

  #run(frame: FrameOf<'call'>, handler: Handler, params: unknown, send: Send): void {
    const abort = new AbortController()
    const call = { method: frame.method, abort, send }
    this.#open.set(frame.id, call)
    const ms = frame.deadline - Date.now()
    const timer = setTimeout(
      () => {
        const failure = late(frame.method, ms)
        this.#answer(frame.id, call, { k: 'fail', id: frame.id, failure: failure.toJSON() })
        abort.abort(failure)
      },
      Math.min(ms, MAX_TIMER_MS),
    )
    handler(params, { signal: abort.signal, deadline: frame.deadline, granted: frame.granted ?? [] })
      .then(
        result => this.#answer(frame.id, call, { k: 'done', id: frame.id, result }),
        error => this.#answer(frame.id, call, failed(frame, error)),
      )
      .finally(() => clearTimeout(timer))
  }

  #answer(id: string, call: OpenCall, frame: Frame): void {
    if (this.#open.get(id) !== call) return
    this.#open.delete(id)
    try {
      call.send(frame)
    } catch (error) {
      // frame_too_large, or the port closed under us: then nobody is there to be told.
      const failure = Failure.from(error)
      if (failure.code === 'frame_too_large') call.send({ k: 'fail', id, failure: failure.toJSON() })
      else console.warn(`the answer of ${call.method} could not be sent: ${failure.message}`)
    }
    this.#idle()
  }

  #idle(): void {
    if (this.#open.size === 0) this.#onIdle()
  }
}

const isMethod = (name: string): name is WireMethod => Object.hasOwn(WIRE, name)

const late = (method: string, ms: number): Failure<'deadline_exceeded'> =>
  new Failure('deadline_exceeded', { action: method, ms: Math.max(0, Math.round(ms)) })

function failed(frame: FrameOf<'call'>, error: unknown): Frame {
  if (!Failure.is(error)) console.error(`${frame.method} failed unexpectedly`, error)
  return { k: 'fail', id: frame.id, failure: Failure.from(error).toJSON() }
}
