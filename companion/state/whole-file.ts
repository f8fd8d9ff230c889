import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Replaces a file so that a reader sees the old content or the new, never a part; for its owner alone. */
export function writeWhole(file: string, content: string | Uint8Array): void {
  const staging = `${file}.${process.pid}.part`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  try {
    const descriptor = openSync(staging, 'w', 0o600)
    try {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(staging, file)
  } catch (error) {
    if (existsSync(staging)) rmSync(staging)
    throw error
  }
}
