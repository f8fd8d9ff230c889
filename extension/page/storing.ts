import type { IndexedData } from '../../shared/state-values.ts'
import { PageFailure } from './failure.ts'

/** What a page keeps in its origin: local and session storage, IndexedDB. */

export interface StorageWrite {
  area: 'local' | 'session'
  clear: boolean
  remove: string[]
  set: Record<string, string>
}

export interface StorageWritten {
  removed: number
  set: number
  kept: number
}

/** What goes goes first. Fails with bad_request where the page has no such storage, or no more room in it. */
export function writeStorage({ area, clear, remove, set }: StorageWrite): StorageWritten {
  try {
    const storage = area === 'local' ? localStorage : sessionStorage
    const before = storage.length
    if (clear) storage.clear()
    else for (const key of remove) storage.removeItem(key)
    const removed = before - storage.length
    for (const [key, value] of Object.entries(set)) storage.setItem(key, value)
    return { removed, set: Object.keys(set).length, kept: storage.length }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    throw PageFailure.of('bad_request', { reason: `the ${area} storage of the page: ${error.message}` })
  }
}

export interface IndexedRequest {
  /** null lists the databases. */
  database: string | null
  store: string | null
  limit: number
  skip: number
}

/** Nothing is created or upgraded: only what is there is opened. Fails with not_found. */
export async function readIndexed(request: IndexedRequest): Promise<IndexedData> {
  const { database, store } = request
  const known = await indexedDB.databases()
  const wanted = known.flatMap(({ name }) =>
    name !== undefined && (database === null || name === database) ? [name] : [],
  )
  if (database !== null && wanted.length === 0)
    throw notFound(`The database "${database}"`, `Known: ${listOf(known.map(({ name }) => name ?? ''))}.`)
  const databases: IndexedData['databases'] = []
  for (const name of wanted) {
    const open = await settled(indexedDB.open(name))
    // Whoever wants to upgrade or delete it shall not wait for us.
    open.onversionchange = () => open.close()
    try {
      if (store !== null) return { databases: [], ...(await rowsOf(open, store, request)) }
      databases.push({ name, version: open.version, stores: await storesOf(open) })
    } finally {
      open.close()
    }
  }
  return { databases, rows: [], total: 0 }
}

async function storesOf(open: IDBDatabase): Promise<IndexedData['databases'][number]['stores']> {
  const names = [...open.objectStoreNames]
  if (names.length === 0) return []
  const transaction = open.transaction(names, 'readonly')
  return Promise.all(
    names.map(async name => {
      const store = transaction.objectStore(name)
      const { keyPath, indexNames } = store
      return {
        name,
        rows: await settled(store.count()),
        key_path: keyPath === null ? null : String(keyPath),
        indexes: [...indexNames],
      }
    }),
  )
}

async function rowsOf(
  open: IDBDatabase,
  name: string,
  { limit, skip }: IndexedRequest,
): Promise<Pick<IndexedData, 'rows' | 'total'>> {
  if (!open.objectStoreNames.contains(name))
    throw notFound(`The store "${name}"`, `"${open.name}" has: ${listOf([...open.objectStoreNames])}.`)
  const store = open.transaction(name, 'readonly').objectStore(name)
  const total = await settled(store.count())
  const rows: IndexedData['rows'] = []
  if (skip >= total) return { rows, total }
  await new Promise<void>((resolve, reject) => {
    const request = store.openCursor()
    let toSkip = skip
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      const cursor = request.result
      if (cursor === null || rows.length === limit) return resolve()
      if (toSkip > 0) {
        cursor.advance(toSkip)
        toSkip = 0
        return
      }
      rows.push({ key: plain(cursor.key), value: plain(cursor.value) })
      cursor.continue()
    }
  })
  return { rows, total }
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

const notFound = (what: string, hint: string): PageFailure => PageFailure.of('not_found', { what, hint })

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '))

const MAX_DEPTH = 12
/** So many values of one row are told: what leads back to itself in several ways has more than a page can hold. */
const MAX_VALUES = 20_000

/** What of a row may still be told, and what the value lies in. */
interface Telling {
  left: number
  above: object[]
}

/** As JSON has it; what JSON has not becomes a text in brackets. */
function plain(value: unknown, telling: Telling = { left: MAX_VALUES, above: [] }): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : `[${value}]`
  if (typeof value === 'bigint') return `[${value}n]`
  if (typeof value !== 'object') return `[${typeof value}]`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[no date]' : value.toISOString()
  if (value instanceof Blob) return `[${value.type || 'Blob'} ${value.size} bytes]`
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return `[bytes ${value.byteLength}]`
  if (value instanceof Error || value instanceof RegExp) return `[${String(value)}]`
  if (telling.above.includes(value)) return '[circular]'
  if (telling.above.length === MAX_DEPTH) return '[…]'
  telling.above.push(value)
  const told = members(value, telling)
  telling.above.pop()
  return told
}

function members(value: object, telling: Telling): unknown {
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) return listed(value, telling)
  const type = Object.prototype.toString.call(value).slice(8, -1)
  const entries = Object.entries(value)
  // What the browser itself makes shows nothing of its own, such as a key of its cryptography.
  if (entries.length === 0 && type !== 'Object') return `[${type}]`
  const told: [string, unknown][] = []
  for (const [key, each] of entries) {
    if (telling.left-- <= 0) return Object.fromEntries([...told, ['…', `${entries.length} in all`]])
    told.push([key, plain(each, telling)])
  }
  return Object.fromEntries(told)
}

function listed(values: Iterable<unknown>, telling: Telling): unknown[] {
  const told: unknown[] = []
  for (const each of values) {
    if (telling.left-- <= 0) return [...told, '[…]']
    told.push(plain(each, telling))
  }
  return told
}
