import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Folders as a person writes them, absolute: ~ is their home, and what is relative lies in `from`. */
export const absoluteFolders = (written: readonly string[], from = homedir()): string[] =>
  written.map(folder =>
    folder === '~' || folder.startsWith('~/') ? join(homedir(), folder.slice(1)) : resolve(from, folder),
  )
