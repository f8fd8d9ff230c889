import { fill, type Kind, kindOf, likenessOf, mainKind, nameLikeness } from './likeness.ts'
import { commonLeaves, isNewIn, type Key, type KeyPath, type Spot, spotsOf, valueAt } from './spots.ts'

/** What stands at a place in the known answers and in the live ones. */
export interface Before {
  path: KeyPath
  /** The whole values that places are looked for in. */
  known: readonly unknown[]
  live: readonly unknown[]
}

export interface Match {
  path: KeyPath
  score: number
}

/** Live answers tell of the same things as the known ones when they share this much. */
const SAME_THINGS = 0.4

/** Whether known and live answers are about the same things, so that equal values can be expected. */
export const isSameThings = (known: unknown, live: unknown): boolean =>
  commonLeaves(known, live) >= SAME_THINGS

/**
 * Where a field is now that is no longer at its place: places of the same kind whose values are the known ones. Where
 * the answers tell of other things, its name has to say it. A place that was there before and held something else is
 * never taken: it still does. Best first.
 */
export function fieldMatches({ path, known, live }: Before, wanted: Kind | null): Match[] {
  const values = known.map(value => valueAt(value, path))
  const kind = wanted ?? mainKind(values)
  const same = isSameThings(known, live)
  const matches = spotsOf(live).flatMap(spot => {
    if (mainKind(spot.values) !== kind || samePath(spot.path, path)) return []
    if (fill(spot.values) < 0.5 * fill(values)) return []
    const score = fieldScore({ path, values, known, same }, spot)
    return score === null ? [] : [{ path: spot.path, score }]
  })
  return distinct(matches, live).toSorted((a, b) => b.score - a.score)
}

interface Field {
  path: KeyPath
  values: readonly unknown[]
  known: readonly unknown[]
  same: boolean
}

/** Null for what cannot be it. */
function fieldScore({ path, values, known, same }: Field, spot: Spot): number | null {
  const { overlap, form, isTelling } = likenessOf(values, spot.values)
  const name = lastName(path, spot.path)
  const near = 1 / (1 + Math.abs(spot.path.length - path.length))
  if (!isNewIn(known, spot)) {
    // A twin: it held the same values all along.
    const before = known.map(value => valueAt(value, spot.path))
    const twin = likenessOf(values, before)
    return twin.overlap >= 0.9 && twin.isTelling && overlap >= 0.5 ? 0.3 + 0.3 * overlap + 0.1 * name : null
  }
  if (same && isTelling) return overlap < 0.5 ? null : 0.6 * overlap + 0.25 * name + 0.1 * form + 0.05 * near
  // Nothing but the name and the look of the values: both have to fit.
  return name >= 0.75 && form >= 0.6 ? 0.5 * name + 0.3 * form + 0.05 * near : null
}

/** The last key that is a name: the rest of a path is where the thing lies, not what it is. */
function lastName(a: KeyPath, b: KeyPath): number {
  const named = (path: KeyPath): string => String(path.findLast(key => typeof key === 'string') ?? '')
  return nameLikeness(named(a), named(b))
}

const samePath = (a: KeyPath, b: KeyPath): boolean =>
  a.length === b.length && a.every((key, i) => key === b[i])

/** Of places that hold the very same values, the best one stands for all. */
function distinct(matches: readonly Match[], live: readonly unknown[]): Match[] {
  const best = new Map<string, Match>()
  for (const match of matches) {
    const key = JSON.stringify(live.map(value => valueAt(value, match.path) ?? null))
    const known = best.get(key)
    if (known === undefined || match.score > known.score) best.set(key, match)
  }
  return [...best.values()]
}

export interface PartMatch extends Match {
  /** It was a list, and now it is an object whose values are the items. */
  isSpread: boolean
}

/** Where a part of an answer is now: a list or record of the same shape, which tells the same. Best first. */
export function partMatches(was: KeyPath, part: unknown, known: unknown, live: unknown): PartMatch[] {
  const same = isSameThings(known, live)
  const kind = kindOf(part)
  const matches = spotsOf([live]).flatMap(({ path, values: [value] }): PartMatch[] => {
    const spread = kind === 'array' && kindOf(value) === 'object' ? spreadOf(value) : null
    const candidate = spread ?? value
    if (kindOf(candidate) !== kind || (Array.isArray(candidate) && candidate.length === 0)) return []
    const score = partScore({ part, candidate, same, name: lastName(was, path) })
    if (score === null) return []
    const before = valueAt(known, path)
    // What was there before under the same name and is no other thing now is not what is looked for.
    const stayed =
      !samePath(path, was) && kindOf(before) === kindOf(value) && shapeLikeness(before, value) > 0.8
    const far = 0.01 * path.length
    return stayed && !isSameThings(part, candidate)
      ? []
      : [{ path, score: score - far, isSpread: spread !== null }]
  })
  return matches.toSorted((a, b) => b.score - a.score)
}

function partScore(about: { part: unknown; candidate: unknown; same: boolean; name: number }): number | null {
  const { part, candidate, same, name } = about
  const shape = shapeLikeness(part, candidate)
  const told = commonLeaves(part, candidate)
  if (same) return told < 0.4 ? null : 0.6 * told + 0.3 * shape + 0.1 * name
  return shape < 0.6 ? null : 0.6 * shape + 0.2 * name
}

/** Values of an object that are all records: a list that was given keys. */
function spreadOf(value: unknown): unknown[] | null {
  const values = Object.values(value as object)
  return values.length > 0 && values.every(inner => kindOf(inner) === 'object') ? values : null
}

/** How many of the names in records of one are in those of the other. */
export function shapeLikeness(a: unknown, b: unknown): number {
  const [x, y] = [namesIn(a), namesIn(b)]
  if (x.size === 0 || y.size === 0) {
    const [p, q] = [a, b].map(value => mainKind(Array.isArray(value) ? value : [value]))
    return p === q && x.size === y.size ? 0.7 : 0
  }
  const common = [...x].filter(name => y.has(name)).length
  return common / Math.max(x.size, y.size)
}

function namesIn(value: unknown): Set<Key> {
  const items = Array.isArray(value) ? value.slice(0, 10) : [value]
  return new Set(items.filter(item => kindOf(item) === 'object').flatMap(item => Object.keys(item as object)))
}
