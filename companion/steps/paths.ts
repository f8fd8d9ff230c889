import type { JSONPathQuery, JSONValue } from 'json-p3'
import { Failure } from '../../shared/failures.ts'
import { jsonPaths } from '../kernel/json-path.ts'
import { parseFailure } from './fields.ts'

/** Undefined where the path leads nowhere. */
export const reach = (data: unknown, path: string): unknown => reacher(path)(data)

/** `reach` for many rows: the path is read once. */
export function reacher(path: string): (data: unknown) => unknown {
  const keys = keysOf(path)
  const [only] = keys
  if (keys.length === 1 && only !== undefined) return data => stepInto(data, only)
  return data => keys.reduce(stepInto, data)
}

/** The value at a path; fails with select_missed, naming what is there instead. */
export function walk(data: unknown, path: string): unknown {
  let at: unknown = data
  for (const key of keysOf(path)) {
    const next = stepInto(at, key)
    if (next === undefined) {
      const keys = typeof at === 'object' && at !== null ? Object.keys(at).slice(0, 20) : []
      throw new Failure('select_missed', { path, at: key, keys })
    }
    at = next
  }
  return at
}

/** `a.b.0`, and as others write it: `a.b[0]`, `a.b[]` for the list itself. Empty for the data itself. */
const keysOf = (path: string): readonly string[] => {
  if (path === '') return []
  if (!path.includes('[')) return path.split('.')
  return path
    .replaceAll(/\[(-?\d*)\]/g, (_, index: string) => (index === '' ? '' : `.${index}`))
    .replace(/^\./, '')
    .split('.')
}

function stepInto(at: unknown, key: string): unknown {
  if (typeof at !== 'object' || at === null) return undefined
  // Of a plain object, what Object.prototype does not name is its own, without a call to ask.
  if (Object.getPrototypeOf(at) === Object.prototype && !(key in Object.prototype))
    return (at as Record<string, unknown>)[key]
  if (Array.isArray(at) && /^-\d+$/.test(key)) return at.at(Number(key))
  return Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined
}

export const isJsonPath = (path: string): boolean => path.startsWith('$')

/** The problem of a JSONPath (RFC 9535) in words, or null. */
export function jsonPathProblem(path: string): string | null {
  try {
    jsonPaths.compile(path)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** What a JSONPath leads to: the one value where it can lead to one only, else the list of all that match. */
export function query(data: unknown, path: string): unknown {
  const compiled = jsonPaths.compile(path)
  const values = valuesOf(compiled, data)
  if (!compiled.singularQuery()) return values
  if (values.length === 0) {
    const keys = typeof data === 'object' && data !== null ? Object.keys(data).slice(0, 20) : []
    throw new Failure('select_missed', { path, at: path, keys })
  }
  return values[0]
}

function valuesOf(compiled: JSONPathQuery, data: unknown): unknown[] {
  try {
    return compiled.query(data as JSONValue).values()
  } catch (cause) {
    throw parseFailure('The data of "select"', cause)
  }
}
