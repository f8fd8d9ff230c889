import type { JSONPathQuery, JSONValue } from 'json-p3'
import { Failure } from '../../shared/failures.ts'
import { isRecord } from '../../shared/json.ts'
import { didYouMean } from './nearest.ts'

/** What of an answer the caller wants to see; applied in this order. */
export interface Projection {
  /** A dot path such as `items.0.name`, or a JSONPath, which begins with `$`. */
  select?: string | undefined
  /** Only these fields of each row, or of the one record; `author.name` reaches into a field. */
  fields?: readonly string[] | undefined
  /** This one value of each row. */
  pluck?: string | undefined
}

export interface Projected {
  data: unknown
  /** What a caller has probably misspelt. */
  notes: string[]
}

/**
 * The part of `data` that is asked for.
 *
 * @throws usage when a path cannot be read or leads nowhere
 */
export async function project(data: unknown, wanted: Projection): Promise<Projected> {
  const { select, fields = [], pluck } = wanted
  let value = data
  const notes: string[] = []
  if (select !== undefined)
    value = select.startsWith('$') ? await queried(value, select) : walk(value, select)
  if (fields.length > 0) {
    notes.push(...absentFields(value, fields).map(field => `No row has a field "${field}".`))
    value = onlyFields(value, fields)
  }
  if (pluck !== undefined) value = plucked(value, pluck)
  return { data: value, notes }
}

export const isProjected = ({ select, fields = [], pluck }: Projection): boolean =>
  select !== undefined || fields.length > 0 || pluck !== undefined

/** Whether the JSONPath can be read, said before anything runs. Fails with usage. */
export async function checkProjection({ select }: Projection): Promise<void> {
  if (select?.startsWith('$')) await compiled(select)
}

/** A JSONPath that names one place at most gives its value; any other gives the list of what it matches. */
async function queried(data: unknown, path: string): Promise<unknown> {
  const query = await compiled(path)
  // An answer is what JSON can hold.
  const found: unknown[] = query.query(data as JSONValue).values()
  if (!query.singularQuery()) return found
  if (found.length === 0) throw nowhere(path, path, data)
  return found[0]
}

async function compiled(path: string): Promise<JSONPathQuery> {
  const { jsonPaths } = await import('./json-path.ts')
  try {
    return jsonPaths.compile(path)
  } catch (error) {
    throw new Failure(
      'usage',
      {
        problem: `"${path}" is not a JSONPath: ${error instanceof Error ? error.message : String(error)}`,
        hint: 'For example $.items[0].name or $..name (RFC 9535); or a dot path such as items.0.name.',
      },
      { cause: error },
    )
  }
}

/** Along the dots; a key that a list does not have is looked up in each of its rows. */
function walk(data: unknown, path: string): unknown {
  const keys = path.split(/\.|\[|\]/).filter(key => key !== '')
  let at = data
  for (const key of keys) {
    const next = inside(at, key)
    if (next === undefined) throw nowhere(path, key, at)
    at = next
  }
  return at
}

function inside(at: unknown, key: string): unknown {
  if (!Array.isArray(at)) return isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined
  if (/^-?\d+$/.test(key)) return at.at(Number(key))
  const values = at.map(row => inside(row, key))
  return values.every(value => value === undefined) ? undefined : values.map(value => value ?? null)
}

function nowhere(path: string, key: string, at: unknown): Failure {
  const keys = keysOf(at)
  return new Failure('usage', {
    problem: `"${path}" leads nowhere in the answer: there is no "${key}".`,
    hint: keys.length === 0 ? 'There are no keys at that place.' : `At that place: ${didYouMean(key, keys)}.`,
  })
}

function plucked(data: unknown, name: string): unknown {
  if (Array.isArray(data) && data.length === 0) return data
  if (absentFields(data, [name]).length > 0 || keysOf(data).length === 0) throw nowhere(name, name, data)
  const valueIn = (row: unknown): unknown => (isRecord(row) ? (valueAt(row, name) ?? null) : null)
  return Array.isArray(data) ? data.map(valueIn) : valueIn(data)
}

const onlyFields = (data: unknown, fields: readonly string[]): unknown => {
  const ofRecord = (record: Record<string, unknown>) =>
    Object.fromEntries(fields.map(field => [field, valueAt(record, field) ?? null]))
  if (Array.isArray(data)) return data.map(item => (isRecord(item) ? ofRecord(item) : item))
  return isRecord(data) ? ofRecord(data) : data
}

/** Rows of a list with these columns alone, as far as they have them, and the names of the other fields. */
export function inColumns(data: unknown, columns: readonly string[]): { data: unknown; leftOut: string[] } {
  if (!Array.isArray(data)) return { data, leftOut: [] }
  const kept = new Set(columns)
  const leftOut = new Set<string>()
  const rows = data.map(row => {
    if (!isRecord(row)) return row
    for (const name of Object.keys(row)) if (!kept.has(name)) leftOut.add(name)
    return Object.fromEntries(columns.flatMap(name => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])))
  })
  return leftOut.size === 0 ? { data, leftOut: [] } : { data: rows, leftOut: [...leftOut] }
}

/** Fields that no row has. */
function absentFields(data: unknown, fields: readonly string[]): string[] {
  const records = (Array.isArray(data) ? data : [data]).filter(isRecord)
  if (records.length === 0) return []
  return fields.filter(field => records.every(record => valueAt(record, field) === undefined))
}

function keysOf(at: unknown): string[] {
  const row: unknown = Array.isArray(at) ? at.find(isRecord) : at
  return isRecord(row) ? Object.keys(row).slice(0, 40) : []
}

/** A key of that very name, else a walk along the dots: `author.name`. Undefined when it leads nowhere. */
export function valueAt(record: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(record, path)) return record[path]
  let at: unknown = record
  for (const key of path.split('.')) {
    if ((!isRecord(at) && !Array.isArray(at)) || !Object.hasOwn(at, key)) return undefined
    at = Reflect.get(at, key)
  }
  return at
}
