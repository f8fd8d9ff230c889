import { Failure } from '../../shared/failures.ts'
import type { Frame, FrameOf } from '../../shared/frame.ts'
import {
  PERSON_WIRE,
  type PersonMethod,
  type PersonParams,
  type PersonResult,
} from '../../shared/person-wire.ts'

interface Question {
  settle: (frame: FrameOf<'done'> | FrameOf<'fail'>) => void
  fail: (failure: Failure) => void
}

const ANSWER_WITHIN_MS = 5000

/** What the person's side has asked the companion and is waiting for. */
export class Questions {
  readonly #open = new Map<string, Question>()
  #count = 0

  /** Fails as the companion says, or with deadline_exceeded, link_lost, frame_invalid. */
  async ask<M extends PersonMethod>(
    method: M,
    params: PersonParams<M>,
    send: (frame: Frame) => void,
  ): Promise<PersonResult<M>> {
    const id = `p${++this.#count}`
    const deadline = Date.now() + ANSWER_WITHIN_MS
    const answer = await new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        const failure = new Failure('deadline_exceeded', { action: method, ms: ANSWER_WITHIN_MS })
        this.#open.get(id)?.fail(failure)
      }, ANSWER_WITHIN_MS)
      const end = (): void => {
        clearTimeout(timer)
        this.#open.delete(id)
      }
      this.#open.set(id, {
        settle: frame => {
          end()
          if (frame.k === 'done') resolve(frame.result)
          else reject(Failure.fromJSON(frame.failure))
        },
        fail: failure => {
          end()
          reject(failure)
        },
      })
      try {
        send({ k: 'call', id, method, params, deadline })
      } catch (error) {
        this.#open.get(id)?.fail(Failure.from(error))
      }
    })
    const parsed = PERSON_WIRE[method].result.safeParse(answer)
    if (!parsed.success)
      throw new Failure('frame_invalid', { reason: `the answer of ${method} does not fit` })
    // Parsed by this method's own schema; TypeScript cannot pair them through the index.
    return parsed.data as PersonResult<M>
  }

  settle(frame: FrameOf<'done'> | FrameOf<'fail'>): void {
    this.#open.get(frame.id)?.settle(frame)
  }

  failAll(failure: Failure): void {
    for (const question of [...this.#open.values()]) question.fail(failure)
  }
}
