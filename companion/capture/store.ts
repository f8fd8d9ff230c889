import type { ConsoleLine, TrafficUpdate } from '../../shared/traffic.ts'
import type { TrafficPort } from '../ports/traffic.ts'
import type { Numbers } from './numbers.ts'
import { SessionLog, type SessionLogSettings } from './session.ts'

const MAX_WEIGHT = 64 * 1024 * 1024
/** Sessions that are remembered; runs of adapters have one each. */
const MAX_SESSIONS = 50
/** How much may come before it is weighed again: weighing looks at everything. */
const WEIGH_EVERY = 1000

/** What browsers tell of the requests of all sessions. */
export class TrafficStore implements TrafficPort {
  readonly #settings: SessionLogSettings
  readonly #numbers: Numbers | null
  readonly #maxWeight: number
  /** The one that was used last comes last. */
  readonly #sessions = new Map<string, SessionLog>()
  #sinceWeighed = 0

  /** @param maxWeight of all sessions together, in memory; characters, about */
  constructor(settings: SessionLogSettings, maxWeight = MAX_WEIGHT, numbers: Numbers | null = null) {
    this.#settings = settings
    this.#numbers = numbers
    this.#maxWeight = maxWeight
  }

  open({ profile, session }: { profile: string; session: string }): SessionLog {
    const key = `${profile}\n${session}`
    const log = this.#sessions.get(key) ?? this.#made(key)
    this.#sessions.delete(key)
    this.#sessions.set(key, log)
    for (const old of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break
      this.#sessions.delete(old)
    }
    return log
  }

  #made(key: string): SessionLog {
    const numbers = this.#numbers
    if (numbers === null) return new SessionLog(this.#settings)
    return new SessionLog({ ...this.#settings, ...numbers.of(key), lines: numbers.of(`${key}\nconsole`) })
  }

  accept(
    at: { profile: string; session: string },
    told: { updates: readonly TrafficUpdate[]; lost: number },
  ): void {
    this.open(at).accept(told.updates, told.lost)
    this.#sinceWeighed += told.updates.length
    if (this.#sinceWeighed >= WEIGH_EVERY) this.#weigh()
  }

  acceptLines(at: { profile: string; session: string }, lines: readonly ConsoleLine[]): void {
    this.open(at).addLines(lines)
  }

  /** The oldest of the heaviest goes first. */
  #weigh(): void {
    this.#sinceWeighed = 0
    const weighed = [...this.#sessions.values()].map(log => ({ log, weight: log.weight }))
    let total = weighed.reduce((sum, { weight }) => sum + weight, 0)
    for (const { log } of weighed.toSorted((a, b) => b.weight - a.weight))
      while (total > this.#maxWeight) {
        const dropped = log.dropOldest()
        if (dropped === null) break
        total -= dropped
      }
  }
}
