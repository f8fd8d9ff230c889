import { appendFileSync, closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { hasErrno } from './atomic-file.ts'

const ROTATE_AT_BYTES = 1024 * 1024

/** Opens a log for a process to print into. `start` is where what it prints will begin. */
export function openTextLog(path: string): { fd: number; start: number } {
  rotate(path)
  const fd = openSync(path, 'a', 0o600)
  return { fd, start: fstatSync(fd).size }
}

/** Adds a line with the time; the file before it is kept once as `.1`. */
export function appendLine(path: string, text: string): void {
  rotate(path)
  appendFileSync(path, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 })
}

/** The last characters of a log, from `start` on; empty when there is no such file. */
export function tailOf(path: string, characters: number, start = 0): string {
  try {
    const fd = openSync(path, 'r')
    try {
      const { size } = fstatSync(fd)
      const from = Math.max(start, size - characters)
      const bytes = Buffer.alloc(Math.max(0, size - from))
      readSync(fd, bytes, 0, bytes.length, from)
      return bytes.toString().trim()
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return ''
    throw error
  }
}

function rotate(path: string): void {
  try {
    if (statSync(path).size >= ROTATE_AT_BYTES) renameSync(path, `${path}.1`)
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error
  }
}
