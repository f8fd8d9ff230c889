import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import type { EvidencePort } from '../ports/state.ts'
import { openBlobs } from './blobs.ts'
import { type Database, openDatabase } from './database.ts'

let dir: TempDir
let db: Database
let time = 0

beforeEach(async () => {
  dir = await makeTempDir()
  db = openDatabase({ file: ':memory:', log: recordingLog() })
})
afterEach(async () => {
  db.close()
  await dir.remove()
})

const folder = (): string => join(dir.path, 'blobs')
const blobs = (maxBytes = 1000): EvidencePort =>
  openBlobs({ db, folder: folder(), maxBytes, days: 30, now: () => ++time })
const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const files = (): string[] =>
  readdirSync(folder(), { recursive: true, encoding: 'utf8' }).filter(f => f.length > 60)

describe('the evidence store', () => {
  it('gives back what was put, by the hash of its content, for its owner alone', () => {
    const store = blobs()
    const id = store.put(text('seen'), 'text/plain')
    expect(id).toBe('7208794c984ea1c75d13877c7427336fe98722c41a056eeee4f37360ec367123')
    const found = store.get(id)
    expect(found?.media_type).toBe('text/plain')
    expect(new TextDecoder().decode(found?.content)).toBe('seen')
    expect(statSync(join(folder(), id.slice(0, 2), id)).mode & 0o777).toBe(0o600)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
  })

  it('keeps equal contents once', () => {
    const store = blobs()
    expect(store.put(text('same'), 'text/plain')).toBe(store.put(text('same'), 'text/plain'))
    expect(files()).toHaveLength(1)
  })

  it('answers null for an id that is none, and for names that would leave its folder', () => {
    const store = blobs()
    for (const id of ['0'.repeat(64), '../../../etc/passwd', '', 'A'.repeat(64)])
      expect(store.get(id)).toBeNull()
  })

  it('drops the longest unused when it is full', () => {
    const store = blobs(100)
    const first = store.put(text('a'.repeat(40)), 'text/plain')
    const second = store.put(text('b'.repeat(40)), 'text/plain')
    store.get(first)
    const third = store.put(text('c'.repeat(40)), 'text/plain')
    expect([first, second, third].map(id => store.get(id) !== null)).toEqual([true, false, true])
    expect(files()).toHaveLength(2)
  })

  it('deletes on opening what nobody asked for in so many days', () => {
    const store = blobs()
    const [old, used] = [store.put(text('old'), 'text/plain'), store.put(text('used'), 'text/plain')]
    time += 31 * 86_400_000
    store.get(used)
    const later = blobs()
    expect([later.get(old), later.get(used)?.media_type]).toEqual([null, 'text/plain'])
    expect(files()).toHaveLength(1)
  })

  it('keeps a value as JSON without the secrets in it', () => {
    const store = blobs()
    const { id, bytes } = store.keep([{ token: 'abc', text: 'Bearer abcdef12345' }])
    const kept = Buffer.from(store.get(id)?.content ?? []).toString()
    expect(kept).toBe('[{"token":"[redacted]","text":"Bearer [redacted]"}]')
    expect(bytes).toBe(kept.length)
  })

  it('refuses a content larger than the whole store, and drops nothing for it', () => {
    const store = blobs(100)
    const small = store.put(text('small'), 'text/plain')
    expect(() => store.put(new Uint8Array(101), 'image/png')).toThrowError(
      expect.objectContaining({ code: 'state_unavailable' }),
    )
    expect(store.get(small)).not.toBeNull()
  })

  it('forgets a content whose file somebody deleted', () => {
    const store = blobs()
    const id = store.put(text('gone soon'), 'text/plain')
    rmSync(join(folder(), id.slice(0, 2), id))
    expect(store.get(id)).toBeNull()
    expect(db.all('SELECT id FROM blobs')).toEqual([])
  })
})
