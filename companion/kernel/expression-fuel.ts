/**
 * What one evaluation may cost, counted and not timed, so that the same expression on the same data always comes to
 * the same end. One unit is about 20 ns. Every evaluation has the base; one that reads large data gets more, by the
 * size of that data, so that work stays in proportion to what there is to work on.
 */
const BASE = 400_000
/** For each character, item and field that the scope holds; enough for a pattern to pass over it. */
const PER_CHAR = 256
const MOST = 200_000_000

export class Fuel {
  readonly #scope: Readonly<Record<string, unknown>>
  #left = BASE
  #isGranted = false

  constructor(scope: Readonly<Record<string, unknown>>) {
    this.#scope = scope
  }

  /** For another evaluation on the same names. */
  refill(): void {
    this.#left = BASE
    this.#isGranted = false
  }

  /** Throws Error when the work is more than its data justify; ask before doing it. */
  spend(units: number): void {
    this.#left -= units
    if (this.#left >= 0) return
    if (!this.#isGranted) {
      // Sizes are only taken when the base does not do, which is rare: most expressions touch a field or two.
      this.#isGranted = true
      this.#left += PER_CHAR * sizeOf(this.#scope, MOST / PER_CHAR)
      if (this.#left >= 0) return
    }
    throw new Error('it takes too much work, or makes too large a value')
  }
}

/** Characters, items and fields of plain data, counted up to a limit. */
function sizeOf(value: unknown, limit: number): number {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size < limit) {
    const next = open.pop()
    if (typeof next === 'string') size += next.length
    else if (Array.isArray(next)) {
      size += next.length
      for (let at = 0; at < Math.min(next.length, limit); at++) open.push(next[at])
    } else if (typeof next === 'object' && next !== null) {
      const values = Object.values(next)
      size += values.length
      for (const inner of values) open.push(inner)
    } else size += 1
  }
  return Math.min(size, limit)
}
