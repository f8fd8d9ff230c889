/** What is different between two readings of a page, line by line. */

/** One line of a reading. */
export interface SeenLine {
  /** By which it is found again: the line without its place in the tree and without the focus. */
  key: string
  /** As it is shown, without indentation. */
  text: string
  depth: number
  /** It stands on the line of what is around it, where both are shown. */
  joined: boolean
  /** The first ref in it; null where nothing in it acts. */
  ref: string | null
  role: string
  /** It is, or stands in, a dialog or an announcement. */
  announced: boolean
}

export interface LineChange {
  kind: 'added' | 'changed' | 'moved' | 'removed'
  /** As it is now; what was removed as it was. */
  line: SeenLine
  /** Which line of now it is; null for what was removed. */
  at: number | null
}

/**
 * In the order of the page as it is now; what was removed stands where it was. Takes time in proportion to the number
 * of lines, and where many moved to its logarithm.
 */
export function diffLines(before: readonly SeenLine[], now: readonly SeenLine[]): LineChange[] {
  const start = commonStart(before, now)
  const end = commonEnd(before, now, start)
  const old = before.slice(start, before.length - end)
  const fresh = now.slice(start, now.length - end)
  return new Comparison(old, fresh, start).changes()
}

/** Goes through both from one line that kept its place to the next. */
class Comparison {
  readonly #old: readonly SeenLine[]
  readonly #fresh: readonly SeenLine[]
  readonly #start: number
  /** For each line of now the old one that it is. */
  readonly #partner: readonly number[]
  readonly #still: ReadonlySet<number>
  /** Old lines that are there still, in whatever place or form. */
  readonly #taken: Set<number>
  readonly #oldByRef = new Map<string, number>()

  constructor(old: readonly SeenLine[], fresh: readonly SeenLine[], start: number) {
    this.#old = old
    this.#fresh = fresh
    this.#start = start
    this.#partner = matched(old, fresh)
    this.#still = longestRising(this.#partner)
    this.#taken = new Set(this.#partner)
    for (const [at, { ref }] of old.entries()) {
      if (ref !== null && !this.#taken.has(at)) this.#oldByRef.set(ref, at)
    }
  }

  changes(): LineChange[] {
    const fresh = this.#fresh.map((line, index) => this.#changeOf(line, index))
    const changes: LineChange[] = []
    let next = 0
    let came: LineChange[] = []
    const upTo = (at: number): void => {
      changes.push(...settled(this.#removed(next, at), came))
      came = []
      next = at + 1
    }
    for (const [index, change] of fresh.entries()) {
      if (change) came.push(change)
      else upTo(this.#partner[index] ?? NONE)
    }
    upTo(this.#old.length)
    return changes
  }

  /** Null for a line that is as and where it was. */
  #changeOf(line: SeenLine, index: number): LineChange | null {
    const partner = this.#partner[index] ?? NONE
    const at = this.#start + index
    if (partner !== NONE) return this.#still.has(partner) ? null : { kind: 'moved', line, at }
    const was = line.ref === null ? undefined : this.#oldByRef.get(line.ref)
    if (was === undefined) return { kind: 'added', line, at }
    this.#taken.add(was)
    return { kind: 'changed', line, at }
  }

  #removed(from: number, to: number): SeenLine[] {
    return this.#old.slice(from, to).filter((_, at) => !this.#taken.has(from + at))
  }
}

const NONE = -1

/** A line that went where another of its kind came, neither with a ref, has changed. */
function settled(removed: readonly SeenLine[], came: readonly LineChange[]): LineChange[] {
  const gone = [...removed]
  const changes = came.map((change): LineChange => {
    if (change.kind !== 'added' || change.line.ref !== null) return change
    const at = gone.findIndex(line => line.ref === null && line.role === change.line.role)
    if (at < 0) return change
    gone.splice(at, 1)
    return { ...change, kind: 'changed' }
  })
  return [...gone.map((line): LineChange => ({ kind: 'removed', line, at: null })), ...changes]
}

function commonStart(before: readonly SeenLine[], now: readonly SeenLine[]): number {
  let at = 0
  while (at < before.length && at < now.length && before[at]?.key === now[at]?.key) at += 1
  return at
}

function commonEnd(before: readonly SeenLine[], now: readonly SeenLine[], start: number): number {
  const most = Math.min(before.length, now.length) - start
  let count = 0
  while (count < most && before.at(-1 - count)?.key === now.at(-1 - count)?.key) count += 1
  return count
}

/** For each line of now the old one of the same key, each old one once; NONE for what is new. */
function matched(old: readonly SeenLine[], fresh: readonly SeenLine[]): number[] {
  const places = new Map<string, number[]>()
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const key = old[at]?.key ?? ''
    const list = places.get(key)
    if (list) list.push(at)
    else places.set(key, [at])
  }
  return fresh.map(line => places.get(line.key)?.pop() ?? NONE)
}

/** The old lines that kept their order: the most of them that can have. */
function longestRising(partner: readonly number[]): Set<number> {
  /** ends[n]: the index in `partner` of the least value at which a rising run of n + 1 ends. */
  const ends: number[] = []
  const previous = new Map<number, number>()
  for (const [index, value] of partner.entries()) {
    if (value === NONE) continue
    const length = lowerBound(ends, value, partner)
    const last = ends[length - 1]
    if (last !== undefined) previous.set(index, last)
    ends[length] = index
  }
  const still = new Set<number>()
  for (let index = ends.at(-1); index !== undefined; index = previous.get(index)) {
    still.add(partner[index] ?? NONE)
  }
  return still
}

function lowerBound(ends: readonly number[], value: number, partner: readonly number[]): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((partner[ends[middle] ?? NONE] ?? NONE) < value) low = middle + 1
    else high = middle
  }
  return low
}
