import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync } from 'node:fs'
import type { Paths } from '../state/paths.ts'
import { replaceFile } from './atomic-file.ts'
import { readToken } from './discovery.ts'

const TOKEN = /^[0-9a-f]{64}$/

/** Creates the token when there is none, and takes away other users' right to read it. For the lock's holder. */
export function ensureToken(paths: Paths): string {
  const existing = readToken(paths)
  if (existing !== null && TOKEN.test(existing)) {
    chmodSync(paths.token, 0o600)
    return existing
  }
  const token = randomBytes(32).toString('hex')
  replaceFile(paths.token, `${token}\n`)
  return token
}

/** Takes the same time wherever the two differ. */
export function isSameToken(shown: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(shown), digest(token))
}
