import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../shared/json.ts'
import type { CachedAnswer, HttpCachePort } from '../ports/http-cache.ts'
import type { LogPort } from '../ports/log.ts'
import { writeWhole } from './whole-file.ts'

export interface HttpCacheOptions {
  /** Absolute; made when it is not there. */
  folder: string
  /** Of all answers together; the longest unused go first. */
  maxBytes: number
  log: LogPort
}

const KEY = /^[0-9a-f]{64}$/
const Head = z.object({
  status: z.number(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  at: z.number(),
})

/**
 * Answers as files: a line of JSON, then the body. A file's time of change is its last use. A cache that cannot be
 * read or written is only slow, so its faults are logged and not thrown.
 */
export function openHttpCache({ folder, maxBytes, log }: HttpCacheOptions): HttpCachePort {
  const pathOf = (key: string): string => join(folder, key)
  let sizes: Map<string, number> | null = null
  const known = (): Map<string, number> => {
    sizes ??= sizesIn(folder)
    return sizes
  }
  const forget = (key: string): void => {
    rmSync(pathOf(key), { force: true })
    known().delete(key)
  }
  const tolerant = <T>(work: () => T, otherwise: T): T => {
    try {
      return work()
    } catch (error) {
      log.warn('the cache of answers cannot be used', { folder, error })
      return otherwise
    }
  }
  return {
    get: key =>
      tolerant(() => {
        if (!KEY.test(key) || !known().has(key)) return null
        const answer = parse(readFileSync(pathOf(key)))
        if (answer === null) {
          forget(key)
          return null
        }
        const now = new Date()
        utimesSync(pathOf(key), now, now)
        touch(known(), key)
        return answer
      }, null),
    put: (key, answer) =>
      tolerant(() => {
        const content = serialize(answer)
        if (!KEY.test(key) || content.byteLength > maxBytes) return
        writeWhole(pathOf(key), content)
        known().delete(key)
        known().set(key, content.byteLength)
        for (const old of overCap(known(), maxBytes)) forget(old)
      }, undefined),
  }
}

const LINE_END = 0x0a

function serialize({ body, ...head }: CachedAnswer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body])
}

function parse(content: Buffer): CachedAnswer | null {
  const end = content.indexOf(LINE_END)
  const head = Head.safeParse(end === -1 ? null : parsedJson(content.subarray(0, end).toString('utf8'), null))
  return head.success ? { ...head.data, body: content.subarray(end + 1) } : null
}

/** Bytes by key, the longest unused first. */
function sizesIn(folder: string): Map<string, number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = readdirSync(folder)
    .filter(name => KEY.test(name))
    .map(name => ({ name, ...statSync(join(folder, name)) }))
    .toSorted((a, b) => a.mtimeMs - b.mtimeMs)
  return new Map(files.map(({ name, size }) => [name, size]))
}

/** A map keeps the order in which keys were set. */
function touch(sizes: Map<string, number>, key: string): void {
  const bytes = sizes.get(key) ?? 0
  sizes.delete(key)
  sizes.set(key, bytes)
}

function overCap(sizes: ReadonlyMap<string, number>, maxBytes: number): string[] {
  let left = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0) - maxBytes
  const dropped: string[] = []
  for (const [key, bytes] of sizes) {
    if (left <= 0) break
    dropped.push(key)
    left -= bytes
  }
  return dropped
}
