import type { OutsideAnswer, OutsideRequest, OutsideResults, TrustedInput } from '../../shared/outside.ts'
import type { Hand } from '../../shared/values.ts'
import { PageFailure } from './failure.ts'
import type { Point } from './hit-test.ts'

/** Undefined where nobody is there to answer. */
export type AskOutside = (pass: string, request: OutsideRequest) => Promise<OutsideAnswer | undefined>

type Of<A extends OutsideRequest['ask']> = Omit<Extract<OutsideRequest, { ask: A }>, 'ask'>

/** What is outside of this document, as far as the act that runs may use it: the frames around, the browser's own input. */
export class Outside {
  /** Which hand the act was asked to be done with. */
  readonly hand: Hand
  /** The browser's own pointer can be used: it hits what is at a point, not what was meant. */
  isAttached = false
  readonly #ask: AskOutside | null
  readonly #pass: string | null

  constructor(hand: Hand, pass: string | null, ask: AskOutside | null) {
    // Alone in a document there is no other.
    this.hand = pass === null ? 'dom' : hand
    this.#pass = pass
    this.#ask = ask
  }

  /**
   * Makes the browser's own input possible.
   *
   * @throws unsupported where something else holds the tab, or the browser has no debugger
   */
  async attach(): Promise<void> {
    await this.#request('attach', {})
    this.isAttached = true
  }

  /** Gives input as the browser itself makes it; resolves when the page has had it. */
  async input(...inputs: TrustedInput[]): Promise<void> {
    await this.#request('input', { inputs })
  }

  /** Where a point of this document lies in the tab's viewport. @throws element_not_ready for a frame that is out of reach */
  place(point: Point): Promise<OutsideResults['place']> {
    return this.#request('place', { point })
  }

  /** What covers the point in the documents around this one; null when nothing does, or when nobody can tell. */
  async obstacleAt(point: Point): Promise<string | null> {
    if (window === window.top || this.#ask === null || this.#pass === null) return null
    return (await this.place(point)).obstacle
  }

  /** Who listens to clicks at a point of the tab's viewport. */
  listeners(at: Point): Promise<OutsideResults['listeners']> {
    return this.#request('listeners', { at })
  }

  async #request<A extends keyof OutsideResults>(ask: A, params: Of<A>): Promise<OutsideResults[A]> {
    const request = { ask, ...params } as unknown as OutsideRequest
    const answer = this.#pass === null ? undefined : await this.#ask?.(this.#pass, request)
    if (answer === undefined) throw PageFailure.of('internal', { reason: `the worker did not answer ${ask}` })
    if (!answer.ok) throw PageFailure.from(answer.failure)
    // Said by our own worker.
    return answer.value as OutsideResults[A]
  }
}

/** Why the browser's own input could not be tried, for a note. @throws what is no such reason */
export function withoutDebugger(error: unknown): string {
  if (!(error instanceof PageFailure) || error.json.code !== 'unsupported') throw error
  const { what, where } = error.json.params
  return `nothing was seen to change, and ${String(what).toLowerCase()} is not possible in ${String(where)}`
}
