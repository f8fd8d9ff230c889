import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { type Database, openDatabase } from './database.ts'

let dir: TempDir
let file: string
const opened: Database[] = []

beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir.path, 'data', 'state.db')
})
afterEach(async () => {
  for (const db of opened.splice(0)) db.close()
  await dir.remove()
})

function open(log = recordingLog()): Database {
  const db = openDatabase({ file, log, now: () => 1234 })
  opened.push(db)
  return db
}

const addStrategy = (db: Database, operation: string): number =>
  db.run('INSERT INTO strategies VALUES (?, ?, ?, ?, NULL)', [operation, 'p', 'public', 1])

describe('the database', () => {
  it('is made with its folder, for its owner alone, and keeps what was written', () => {
    const db = open()
    addStrategy(db, 'a.b')
    db.close()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir.path, 'data')).mode & 0o777).toBe(0o700)
    expect(open().get('SELECT operation FROM strategies')).toEqual({ operation: 'a.b' })
  })

  it('narrows the permissions of a file that others could read', () => {
    open().close()
    spawnSync('chmod', ['644', file])
    open()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('opens after its process was killed, with everything that was committed', () => {
    open().close()
    const child = spawnSync(process.execPath, [
      '-e',
      `const { Database } = require('node-sqlite3-wasm')
       const db = new Database(${JSON.stringify(file)})
       db.exec('PRAGMA locking_mode = EXCLUSIVE')
       db.exec('PRAGMA journal_mode = WAL')
       db.run("INSERT INTO strategies VALUES ('k.illed', 'p', 'cookie', 1, NULL)")
       process.kill(process.pid, 'SIGKILL')`,
    ])
    expect(child.signal).toBe('SIGKILL')
    expect(existsSync(`${file}.lock`)).toBe(true)
    expect(open().get('SELECT operation FROM strategies')).toEqual({ operation: 'k.illed' })
  })

  it('sets a corrupt file aside, warns, and begins a new one', () => {
    open().close()
    writeFileSync(file, 'no database at all '.repeat(500))
    const log = recordingLog()
    addStrategy(open(log), 'new.one')
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { aside: `${file}.corrupt-1234` } }])
    expect(readFileSync(`${file}.corrupt-1234`, 'utf8')).toContain('no database at all')
  })

  it('finds damage inside a file whose header is sound', () => {
    const db = open()
    for (let i = 0; i < 2000; i++) addStrategy(db, `operation.${i}`)
    db.close()
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4096, bytes.length)
    writeFileSync(file, bytes)
    open()
    expect(readdirSync(join(dir.path, 'data'))).toContain('state.db.corrupt-1234')
  })

  it('refuses a schema that a newer version wrote, and leaves the file alone', () => {
    const db = open()
    db.run('PRAGMA user_version = 99')
    db.close()
    expect(() => open()).toThrowError(expect.objectContaining({ code: 'state_unavailable' }))
    expect(() => open()).toThrowError(/schema 99/)
  })

  it('takes a transaction back as a whole when its work fails', () => {
    const db = open()
    const fail = (): never =>
      db.transaction(() => {
        addStrategy(db, 'half.done')
        throw new Error('stop here')
      })
    expect(fail).toThrowError(/^stop here$/)
    expect(db.get('SELECT * FROM strategies')).toBeNull()
    db.transaction(() => addStrategy(db, 'whole.done'))
    expect(db.all('SELECT operation FROM strategies')).toEqual([{ operation: 'whole.done' }])
  })

  it('names its file when it cannot be opened', () => {
    writeFileSync(join(dir.path, 'data'), 'a file where the folder should be')
    expect(() => open()).toThrowError(expect.objectContaining({ code: 'state_unavailable' }))
  })

  it('gives space back to the disk after rows were deleted', () => {
    const db = open()
    db.transaction(() => {
      for (let i = 0; i < 3000; i++) addStrategy(db, `operation.${i}.${'x'.repeat(200)}`)
    })
    db.shrink()
    const [used, size] = [db.usedBytes(), statSync(file).size]
    db.run('DELETE FROM strategies')
    db.shrink()
    expect(db.usedBytes()).toBeLessThan(used / 4)
    expect(statSync(file).size).toBeLessThan(size / 4)
  })
})
