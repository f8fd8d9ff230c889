import { z } from 'zod'
import { parsedJson } from '../../shared/json.ts'

/** Numbers are taken in blocks, so that hardly anything has to be written down. */
const BLOCK = 1000
/** Sessions whose numbers are remembered; the newest stay. */
const MAX_SESSIONS = 200

/** How what is seen of one session is numbered. */
export interface Numbering {
  /** The last number that was given before, by a companion that has ended; 0 where there was none. */
  before?: number
  /** Told before a number is given. */
  take?: (number: number) => void
}

/** Where it is kept which numbers are taken. */
interface NumbersFile {
  read(): string | null
  write(content: string): void
}

/**
 * Which numbers of requests each session has used, over restarts: what was seen before one is not kept, and its
 * numbers must never come to mean other requests.
 */
export class Numbers {
  readonly #file: NumbersFile
  readonly #taken: Map<string, number>

  constructor(file: NumbersFile) {
    this.#file = file
    const kept = z.record(z.string(), z.number().int()).safeParse(parsedJson(file.read() ?? '', null))
    this.#taken = new Map(Object.entries(kept.success ? kept.data : {}))
  }

  /** The last that may be in use; 0 for a session of which nothing was ever seen. */
  last(session: string): number {
    return this.#taken.get(session) ?? 0
  }

  of(session: string): Numbering {
    return { before: this.last(session), take: number => this.take(session, number) }
  }

  /** To be called before a number is used. */
  take(session: string, number: number): void {
    if (number <= this.last(session)) return
    this.#taken.delete(session)
    this.#taken.set(session, Math.ceil(number / BLOCK) * BLOCK)
    for (const old of this.#taken.keys()) {
      if (this.#taken.size <= MAX_SESSIONS) break
      this.#taken.delete(old)
    }
    this.#file.write(JSON.stringify(Object.fromEntries(this.#taken)))
  }
}
