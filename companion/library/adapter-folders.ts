import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Failure } from '../../shared/failures.ts'

/** Paths as a person writes them, absolute: ~ is their home, and what is relative lies in `from`. */
export const absolutePaths = (written: readonly string[], from = homedir()): string[] =>
  written.map(path =>
    path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(from, path),
  )

/** The same, of folders that must be there. Fails with not_found. */
export function existingFolders(written: readonly string[], from: string): string[] {
  const folders = absolutePaths(written, from)
  for (const folder of folders)
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new Failure('not_found', {
        what: `The folder "${folder}"`,
        hint: 'It is to hold a folder for each site, with its adapters in it.',
      })
  return folders
}
