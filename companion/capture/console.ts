import type { ConsoleLevel, ConsoleLine } from '../../shared/traffic.ts'
import type { ConsoleQuery, KeptLine } from '../ports/traffic.ts'
import type { Numbering } from './numbers.ts'
import { textTest } from './query.ts'
import { safeShort, safeUrl } from './redaction.ts'

/** The newest stay. */
const MAX_LINES = 2000

const RANK: Readonly<Record<ConsoleLevel, number>> = { debug: 0, info: 1, warning: 2, error: 3 }

/** What the documents of one session wrote to their console. A line that is told twice is kept once. */
export class ConsoleLog {
  readonly #lines: KeptLine[] = []
  readonly #keys = new Set<string>()
  readonly #numbering: Numbering
  #last: number
  #dropped = 0
  #weight = 0

  constructor(numbering: Numbering = {}) {
    this.#numbering = numbering
    this.#last = numbering.before ?? 0
  }

  get weight(): number {
    return this.#weight
  }

  add(lines: readonly ConsoleLine[]): void {
    for (const line of lines) {
      if (this.#keys.has(line.key)) continue
      this.#numbering.take?.(this.#last + 1)
      const kept = { ...line, ...safe(line), number: ++this.#last }
      this.#keys.add(kept.key)
      this.#lines.push(kept)
      this.#weight += weightOf(kept)
      if (this.#lines.length > MAX_LINES) this.dropOldest()
    }
  }

  /** What it weighed; null when there is nothing left to drop. */
  dropOldest(): number | null {
    const oldest = this.#lines.shift()
    if (oldest === undefined) return null
    this.#keys.delete(oldest.key)
    this.#weight -= weightOf(oldest)
    this.#dropped++
    return weightOf(oldest)
  }

  /** Of this level and the graver ones, in the order of their time. */
  find({ level = 'debug', text, since = 0 }: ConsoleQuery): {
    found: KeptLine[]
    cursor: number
    dropped: number
  } {
    const fits = text === undefined ? () => true : textTest(text)
    const found = this.#lines
      .filter(line => line.number > since && RANK[line.level] >= RANK[level] && fits(line.text))
      .toSorted((a, b) => a.at - b.at)
    return { found, cursor: this.#last, dropped: this.#dropped }
  }
}

const safe = ({ text, url, stack }: ConsoleLine) => ({
  text: safeShort(text),
  url: url === null ? null : safeUrl(url),
  stack: safeShort(stack),
})

const weightOf = ({ text, stack, key }: KeptLine): number => 300 + text.length + stack.length + key.length
