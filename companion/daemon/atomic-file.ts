import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

/** A reader sees the old content or the new, never a part. */
export function replaceFile(path: string, content: string, mode = 0o600): void {
  const temporary = `${path}.${process.pid}.new`
  writeFileSync(temporary, content, { mode })
  renameSync(temporary, path)
}

/** Null when there is no such file. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw error
  }
}

export const removeFile = (path: string): void => rmSync(path, { force: true })

export const hasErrno = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
