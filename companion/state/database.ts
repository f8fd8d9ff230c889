import { chmodSync, closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import sqlite from 'node-sqlite3-wasm'
import { Failure } from '../../shared/failures.ts'
import type { LogPort } from '../ports/log.ts'
import { MIGRATIONS } from './migrations.ts'

export type SqlValue = string | number | null
export type Row = Record<string, unknown>

/** The companion's one database. Synchronous; every fault is `state_unavailable` with the reason. */
export interface Database {
  run(sql: string, values?: readonly SqlValue[]): number
  all(sql: string, values?: readonly SqlValue[]): Row[]
  get(sql: string, values?: readonly SqlValue[]): Row | null
  /** All of it or nothing; nests no further. */
  transaction<T>(work: () => T): T
  /** Bytes that hold data, without what is free for reuse. */
  usedBytes(): number
  /** Gives free pages back to the disk. */
  shrink(): void
  close(): void
}

export interface DatabaseOptions {
  /** Absolute; its folder is made when it is not there. `:memory:` keeps nothing. */
  file: string
  log: LogPort
  /** Epoch ms; names the file that a corrupt database is set aside to. */
  now?: () => number
}

/**
 * Opens or makes the database and brings it to the newest schema. The caller must hold the companion's own lock: a
 * lock folder left behind by a killed process is removed here, since nobody else can be using it.
 *
 * A file that is no sound database is renamed to `<file>.corrupt-<time>`, a warning logged, a new one begun.
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { file, log, now = Date.now } = options
  prepareFolder(file)
  try {
    return connect(file)
  } catch (error) {
    if (!isCorrupt(error)) throw toFailure(file, error)
    const aside = `${file}.corrupt-${now()}`
    setAside(file, aside)
    log.warn('the database was corrupt: it was set aside and a new one begun', { file, aside, error })
    try {
      return connect(file)
    } catch (again) {
      throw toFailure(file, again)
    }
  }
}

function prepareFolder(file: string): void {
  if (file === ':memory:') return
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    rmSync(`${file}.lock`, { recursive: true, force: true })
    closeSync(openSync(file, 'a', 0o600))
    chmodSync(file, 0o600)
  } catch (error) {
    throw toFailure(file, error)
  }
}

function setAside(file: string, aside: string): void {
  try {
    renameSync(file, aside)
    for (const suffix of ['-wal', '-journal', '.lock'])
      rmSync(`${file}${suffix}`, { recursive: true, force: true })
  } catch (error) {
    throw toFailure(file, error)
  }
}

/** Raised for a database that opens but is not sound. */
class NotSound extends Error {}

function connect(file: string): Database {
  const db = new sqlite.Database(file)
  try {
    // Exclusive comes first: without it WAL needs shared memory, which this build of SQLite has not.
    db.exec('PRAGMA locking_mode = EXCLUSIVE')
    db.exec('PRAGMA auto_vacuum = INCREMENTAL')
    db.exec('PRAGMA journal_mode = WAL')
    db.exec('PRAGMA synchronous = NORMAL')
    const check = db.get('PRAGMA quick_check(1)')
    if (check?.quick_check !== 'ok') throw new NotSound(String(check?.quick_check))
    migrate(db)
  } catch (error) {
    db.close()
    throw error
  }
  return wrap(file, db)
}

function migrate(db: sqlite.Database): void {
  const version = Number(db.get('PRAGMA user_version')?.user_version ?? 0)
  if (version > MIGRATIONS.length)
    throw new Error(
      `it was written by a newer unicli (schema ${version}, this one knows ${MIGRATIONS.length})`,
    )
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue
    db.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}

function wrap(file: string, db: sqlite.Database): Database {
  const statements = new Map<string, sqlite.Statement>()
  const prepared = (sql: string): sqlite.Statement => {
    const known = statements.get(sql)
    if (known) return known
    const made = db.prepare(sql)
    statements.set(sql, made)
    return made
  }
  const guard = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw error instanceof sqlite.SQLite3Error ? toFailure(file, error) : error
    }
  }
  const number = (pragma: string): number => Number(db.get(`PRAGMA ${pragma}`)?.[pragma] ?? 0)
  return {
    run: (sql, values = []) => guard(() => prepared(sql).run([...values]).changes),
    all: (sql, values = []) => guard(() => prepared(sql).all([...values]) as Row[]),
    get: (sql, values = []) => guard(() => first(prepared(sql).all([...values]) as Row[])),
    transaction: work => guard(() => inTransaction(db, work)),
    usedBytes: () => guard(() => (number('page_count') - number('freelist_count')) * number('page_size')),
    shrink: () =>
      guard(() => {
        db.all('PRAGMA incremental_vacuum')
        db.all('PRAGMA wal_checkpoint(TRUNCATE)')
      }),
    close: () =>
      guard(() => {
        if (!db.isOpen) return
        for (const statement of statements.values()) statement.finalize()
        statements.clear()
        db.close()
      }),
  }
}

const first = (rows: Row[]): Row | null => rows[0] ?? null

function inTransaction<T>(db: sqlite.Database, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** SQLite's own words are all that this build gives: it keeps the result code to itself. */
const CORRUPT = /not a database|malformed|corrupt/i

function isCorrupt(error: unknown): boolean {
  return error instanceof NotSound || (error instanceof Error && CORRUPT.test(error.message))
}

function toFailure(file: string, error: unknown): Failure {
  if (Failure.is(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new Failure('state_unavailable', { file, reason }, { cause: error })
}
