import { isThere, kindOf, mainKind } from './likeness.ts'

export type Key = string | number
export type KeyPath = readonly Key[]

/** A place in many values of the same shape, with what each has there. */
export interface Spot {
  path: KeyPath
  /** One for each value; undefined where it has no such place. */
  values: readonly unknown[]
}

const MAX_DEPTH = 6
const MAX_SPOTS = 4000

export const pathText = (path: KeyPath): string => path.map(String).join('.')

export function valueAt(value: unknown, path: KeyPath): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Record<Key, unknown>)[key]
  }
  return at
}

/** Every place in the values, the values themselves first. Of lists only the first item is looked into. */
export function spotsOf(values: readonly unknown[]): Spot[] {
  const found: Spot[] = [{ path: [], values }]
  for (const spot of found) {
    if (spot.path.length >= MAX_DEPTH) continue
    for (const key of keysOf(spot.values)) {
      if (found.length >= MAX_SPOTS) return found
      found.push({
        path: [...spot.path, key],
        values: spot.values.map(value => valueAt(value, [key])),
      })
    }
  }
  return found
}

function keysOf(values: readonly unknown[]): Set<Key> {
  const keys = new Set<Key>()
  for (const value of values) {
    if (Array.isArray(value)) {
      if (value.length > 0) keys.add(0)
    } else if (kindOf(value) === 'object') for (const key of Object.keys(value as object)) keys.add(key)
  }
  return keys
}

/** Whether a place is not in the known values, or held another kind of thing there. */
export function isNewIn(known: readonly unknown[], spot: Spot): boolean {
  const before = known.map(value => valueAt(value, spot.path)).filter(isThere)
  return before.length === 0 || mainKind(before) !== mainKind(spot.values)
}

/** Texts and numbers anywhere in a value: what it tells, whatever its shape. */
export function leavesOf(value: unknown, into = new Set<string>()): Set<string> {
  if (into.size > 3000) return into
  if (typeof value === 'string' && value.length > 1) into.add(value)
  else if (typeof value === 'number' && Math.abs(value) > 9) into.add(String(value))
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) leavesOf(inner, into)
  return into
}

/** Share of what `known` tells that `live` tells too. */
export function commonLeaves(known: unknown, live: unknown): number {
  const [a, b] = [leavesOf(known), leavesOf(live)]
  if (a.size === 0) return 0
  return [...a].filter(leaf => b.has(leaf)).length / a.size
}
