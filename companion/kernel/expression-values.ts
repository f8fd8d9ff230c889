/** What operators do with values. */

/** How a value reads inside text: nothing for null, JSON for lists and objects. */
export const text = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value)

/** Empty text, zero, null, false and NaN are false, as in JavaScript; so is an empty list, as people expect. */
export const truthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

export const toNumber = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && value.trim() !== ''
      ? Number(value)
      : value === true
        ? 1
        : 0

/** An own property, or null: nothing that a prototype holds can be reached. */
export function own(object: unknown, key: unknown): unknown {
  if (typeof object === 'string') {
    if (key === 'length') return object.length
    return typeof key === 'number' ? (object[key] ?? null) : null
  }
  if (typeof object !== 'object' || object === null) return null
  if (Array.isArray(object)) {
    if (typeof key === 'number') return object.at(key) ?? null
    if (key === 'length') return object.length
  }
  const name = typeof key === 'string' ? key : keyOf(key)
  return Object.hasOwn(object, name) ? ((object as Record<string, unknown>)[name] ?? null) : null
}

/** `own` for many values of one name, which is most often a field of a plain object: then nothing need be asked. */
export function ownNamed(name: string): (object: unknown) => unknown {
  if (name in Object.prototype) return object => own(object, name)
  return object =>
    typeof object === 'object' && object !== null && Object.getPrototypeOf(object) === Object.prototype
      ? ((object as Record<string, unknown>)[name] ?? null)
      : own(object, name)
}

/** A key from a value. Lists and objects name nothing: their JSON could be large, and is never a name. */
export const keyOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? '' : String(value)

export const equal = (left: unknown, right: unknown): boolean => (left ?? null) === (right ?? null)

/** NaN (never less, never greater) unless both are numbers or both are texts; numeric text counts as a number. */
export function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  if (left === null || right === null || left === undefined || right === undefined) return Number.NaN
  return toNumber(left) - toNumber(right)
}
