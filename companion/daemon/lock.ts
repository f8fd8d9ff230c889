import { linkSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno, readIfThere, removeFile } from './atomic-file.ts'
import { identityOf } from './process-identity.ts'

export interface LockHolder {
  pid: number
  /** Tells the process from a later one with the same number. */
  identity: string | null
}

/**
 * Takes the lock for this process until it ends, or names the process that has it. Nobody needs to release it:
 * a lock belongs to who runs.
 *
 * The lock is a folder of numbered files, and the highest number holds. A file appears with its whole content
 * at once (link), a number can be taken once, and a number goes only after a higher one came. So of two that
 * find the same dead holder one gets the next number, and whoever was so late that his number had been taken
 * and removed finds a higher one beside it.
 */
export function acquireLock(folder: string): { holder: LockHolder } | 'acquired' {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `draft-${process.pid}`)
  writeFileSync(draft, JSON.stringify({ pid: process.pid, identity: identityOf(process.pid) }), {
    mode: 0o600,
  })
  try {
    for (;;) {
      const top = highest(folder)
      const holder = top === 0 ? null : readHolder(folder, top)
      if (holder !== null && isRunning(holder)) return { holder }
      if (!take(draft, join(folder, String(top + 1)))) continue
      if (highest(folder) > top + 1) {
        removeFile(join(folder, String(top + 1)))
        continue
      }
      for (const number of numbers(folder)) if (number <= top) removeFile(join(folder, String(number)))
      return 'acquired'
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The process that holds the lock now; null when none does. */
export function lockHolder(folder: string): LockHolder | null {
  const top = highest(folder)
  const holder = top === 0 ? null : readHolder(folder, top)
  return holder !== null && isRunning(holder) ? holder : null
}

export const isRunning = (holder: LockHolder): boolean => {
  const identity = identityOf(holder.pid)
  return identity !== null && (holder.identity === null || holder.identity === identity)
}

function take(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false
    throw error
  }
}

function numbers(folder: string): number[] {
  try {
    return readdirSync(folder)
      .map(Number)
      .filter(number => number > 0)
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return []
    throw error
  }
}

const highest = (folder: string): number => Math.max(0, ...numbers(folder))

/** Null for a file that went meanwhile, which means that there is a higher one, or that is no holder's. */
function readHolder(folder: string, number: number): LockHolder | null {
  const text = readIfThere(join(folder, String(number)))
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    return isHolder(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const isHolder = (value: unknown): value is LockHolder =>
  typeof value === 'object' &&
  value !== null &&
  'pid' in value &&
  typeof value.pid === 'number' &&
  'identity' in value &&
  (value.identity === null || typeof value.identity === 'string')
