import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../../shared/failures.ts'
import type { CallOptions } from '../ports/browser.ts'
import type { Pace, RatePort } from '../ports/rates.ts'

/** How much of a minute's requests may go at once: a sixth, as in ten seconds. */
const BURST_SHARE = 6

/** The rates of one companion, which end with it. */
export class Rates implements RatePort {
  /** When the next token of a full-speed stream is due, epoch ms. */
  readonly #due = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async take({ name, perMinute, burst }: Pace, { signal, deadline }: CallOptions): Promise<void> {
    const interval = 60_000 / perMinute
    const atOnce = burst ?? Math.max(1, Math.floor(perMinute / BURST_SHARE))
    const now = this.#now()
    const due = Math.max(this.#due.get(name) ?? 0, now)
    const ms = Math.max(0, due - now - (atOnce - 1) * interval)
    if (now + ms > deadline)
      throw new Failure('rate_limited', { site: name, retry_after_s: Math.ceil(ms / 1000) })
    this.#due.set(name, due + interval)
    if (ms === 0) return
    this.#forgetIdle(now)
    await wait(ms, undefined, { signal }).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error
    })
  }

  /** A bucket that is full again says nothing. */
  #forgetIdle(now: number): void {
    for (const [name, due] of this.#due) if (due <= now) this.#due.delete(name)
  }
}
