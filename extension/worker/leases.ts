import type { SessionBook } from './session-book.ts'

/** How near an end must be to be waited for; the worker's alarm looks after the later ones. */
const NEAR_MS = 60_000

/** Ends the sessions that nobody has used for as long as their lease says, but none in which something goes on. */
export class Leases {
  readonly #book: SessionBook
  readonly #end: (session: string) => Promise<unknown>
  readonly #busy = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(book: SessionBook, end: (session: string) => Promise<unknown>) {
    this.#book = book
    this.#end = end
  }

  async during<T>(session: string, work: () => Promise<T>): Promise<T> {
    this.#busy.set(session, (this.#busy.get(session) ?? 0) + 1)
    try {
      await this.#book.renew(session)
      return await work()
    } finally {
      const others = (this.#busy.get(session) ?? 1) - 1
      if (others > 0) this.#busy.set(session, others)
      else this.#busy.delete(session)
      await this.#book.renew(session)
      await this.#waitForNext()
    }
  }

  /** Ends what is over by now. */
  async enforce(): Promise<void> {
    for (const [session, { until }] of Object.entries(await this.#book.all()))
      if (until <= Date.now() && !this.#busy.has(session)) await this.#end(session)
    await this.#waitForNext()
  }

  async #waitForNext(): Promise<void> {
    clearTimeout(this.#timer)
    const ends = Object.entries(await this.#book.all()).flatMap(([session, { until }]) =>
      this.#busy.has(session) ? [] : [until - Date.now()],
    )
    const next = Math.min(...ends)
    if (next <= NEAR_MS) this.#timer = setTimeout(() => void this.enforce(), Math.max(0, next) + 1)
  }
}
