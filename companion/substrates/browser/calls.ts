import { Failure } from '../../../shared/failures.ts'
import type { Frame, FrameOf } from '../../../shared/frame.ts'
import { WIRE, type WireMethod, type WireParams, type WireResult } from '../../../shared/wire.ts'
import type { CallOptions } from '../../ports/browser.ts'

type Send = (frame: Frame, flushed: () => void) => void

interface Waiting {
  method: WireMethod
  /** True once the whole frame has left us: from then on it may have been acted upon. */
  isSent: boolean
  settle: (outcome: { result: unknown } | { failure: Failure }) => void
}

/** setTimeout takes no more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The calls under way on one link. */
export class Calls {
  readonly #waiting = new Map<string, Waiting>()
  readonly #send: Send
  #count = 0

  constructor(send: Send) {
    this.#send = send
  }

  /**
   * Fails with what the extension answers, deadline_exceeded, cancelled (or the signal's own failure),
   * frame_too_large, frame_invalid when the result is not what WIRE says, and as `lose` when the link ends.
   */
  call<M extends WireMethod>(
    method: M,
    params: WireParams<M>,
    { signal, deadline, granted }: CallOptions,
  ): Promise<WireResult<M>> {
    const started = Date.now()
    const id = `c${++this.#count}`
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortedBy(signal))
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        this.#waiting.delete(id)
      }
      const giveUp = (failure: Failure) => {
        end()
        this.#send({ k: 'stop', id }, () => undefined)
        reject(failure)
      }
      const cancel = () => giveUp(abortedBy(signal))
      const timer = setTimeout(
        () => giveUp(new Failure('deadline_exceeded', { action: method, ms: Date.now() - started })),
        Math.min(Math.max(0, deadline - started), LONGEST_TIMER_MS),
      )
      signal.addEventListener('abort', cancel)
      const waiting: Waiting = {
        method,
        isSent: false,
        settle: outcome => {
          end()
          if ('failure' in outcome) return reject(outcome.failure)
          const parsed = WIRE[method].result.safeParse(outcome.result)
          // The row's schema made it; indexing the table by M alone loses the link.
          if (parsed.success) resolve(parsed.data as WireResult<M>)
          else reject(misfit(method, parsed.error.issues[0]))
        },
      }
      this.#waiting.set(id, waiting)
      try {
        const sites = granted === undefined ? {} : { granted: [...granted] }
        this.#send({ k: 'call', id, method, params, deadline, ...sites }, () => {
          waiting.isSent = true
        })
      } catch (error) {
        end()
        reject(Failure.from(error))
      }
    })
  }

  /** An answer to a call that nobody waits for any more is dropped. */
  settle(frame: FrameOf<'done' | 'fail'>): void {
    const outcome =
      frame.k === 'done' ? { result: frame.result } : { failure: Failure.fromJSON(frame.failure) }
    this.#waiting.get(frame.id)?.settle(outcome)
  }

  /** Ends all calls because the link has ended at `hop`: what may have been acted upon is not to be repeated. */
  lose(hop: string): void {
    for (const { method, isSent, settle } of [...this.#waiting.values()]) {
      const isUnknown = isSent && WIRE[method].effect === 'write'
      settle({
        failure: isUnknown
          ? new Failure('outcome_unknown', { action: method })
          : new Failure('link_lost', { hop }),
      })
    }
  }
}

/** Whoever aborts may say why; otherwise it was the caller. */
export const abortedBy = (signal: AbortSignal): Failure =>
  Failure.is(signal.reason) ? signal.reason : new Failure('cancelled', { by: 'caller' })

const misfit = (method: WireMethod, issue: { path: PropertyKey[]; message: string } | undefined): Failure =>
  new Failure('frame_invalid', {
    reason: `the result of ${method} does not fit at "${issue?.path.map(String).join('.')}": ${issue?.message}`,
  })
