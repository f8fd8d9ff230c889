import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { redactValue } from '../kernel/redact.ts'
import type { EvidencePort } from '../ports/state.ts'
import type { Database } from './database.ts'
import { writeWhole } from './whole-file.ts'

export interface BlobOptions {
  db: Database
  /** Absolute; made when it is not there. */
  folder: string
  /** Of all contents together; the longest unused go first. */
  maxBytes: number
  /** Contents that nobody asked for in so long are deleted. */
  days: number
  now?: () => number
}

const ID = /^[0-9a-f]{64}$/
const DAY_MS = 86_400_000

/** Evidence by the SHA-256 of its content: equal contents are kept once. Faults are `state_unavailable`. */
export function openBlobs(options: BlobOptions): EvidencePort {
  const { db, folder, maxBytes, days, now = Date.now } = options
  const pathOf = (id: string): string => join(folder, id.slice(0, 2), id)
  const onDisk = <T>(work: () => T): T => orUnavailable(folder, work)
  const forget = (id: string): void => {
    db.run('DELETE FROM blobs WHERE id = ?', [id])
    rmSync(pathOf(id), { force: true })
  }
  onDisk(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    for (const { id } of db.all('SELECT id FROM blobs WHERE used_at < ?', [now() - days * DAY_MS]))
      forget(String(id))
  })
  const put = (content: Uint8Array, mediaType: string): string =>
    onDisk(() => {
      if (content.byteLength > maxBytes)
        throw new Failure('state_unavailable', {
          file: folder,
          reason: `${content.byteLength} bytes are over its limit`,
        })
      const id = createHash('sha256').update(content).digest('hex')
      writeWhole(pathOf(id), content)
      db.run('INSERT OR REPLACE INTO blobs (id, media_type, bytes, used_at) VALUES (?, ?, ?, ?)', [
        id,
        mediaType,
        content.byteLength,
        now(),
      ])
      for (const old of overCap(db, maxBytes)) forget(old)
      return id
    })
  return {
    put,
    keep: value => {
      const content = Buffer.from(JSON.stringify(redactValue(value, [], Infinity)))
      return { id: put(content, 'application/json'), bytes: content.byteLength }
    },
    get: id =>
      onDisk(() => {
        if (!ID.test(id)) return null
        const row = db.get('SELECT media_type FROM blobs WHERE id = ?', [id])
        const content = row && readIfThere(pathOf(id))
        if (!row || !content) {
          if (row) forget(id)
          return null
        }
        db.run('UPDATE blobs SET used_at = ? WHERE id = ?', [now(), id])
        return { content, media_type: String(row.media_type) }
      }),
  }
}

function orUnavailable<T>(folder: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (Failure.is(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('state_unavailable', { file: folder, reason }, { cause: error })
  }
}

function readIfThere(path: string): Uint8Array | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Those that do not fit below the cap when the latest used are counted first. */
function overCap(db: Database, maxBytes: number): string[] {
  const total = Number(db.get('SELECT sum(bytes) AS total FROM blobs')?.total ?? 0)
  if (total <= maxBytes) return []
  let left = total - maxBytes
  const dropped: string[] = []
  for (const row of db.all('SELECT id, bytes FROM blobs ORDER BY used_at, rowid')) {
    if (left <= 0) break
    dropped.push(String(row.id))
    left -= Number(row.bytes)
  }
  return dropped
}
