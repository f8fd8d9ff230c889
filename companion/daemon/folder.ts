import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import type { Paths } from '../state/paths.ts'

/** Makes the folders that the companion needs, closed to all others. Fails with companion_unavailable. */
export function prepareFolders(paths: Paths): void {
  for (const folder of [paths.home, paths.run, paths.logs])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return
  const socketFolder = dirname(paths.socket)
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 })
  // A person may have made the home a link to somewhere else; nobody may do so with the socket's folder.
  close(paths.home, statSync(paths.home))
  close(socketFolder, lstatSync(socketFolder))
}

/**
 * Whoever can write into the folder of the socket can put a socket of his own there and be sent the token.
 * Fails with companion_unavailable.
 */
export function assertPrivate(folder: string): void {
  const stat = lstatSync(folder)
  const reason = foreign(stat) ?? ((stat.mode & 0o022) === 0 ? null : 'can be written to by other users')
  if (reason !== null) throw new Failure('companion_unavailable', { reason: `${folder} ${reason}` })
}

function close(folder: string, stat: Stats): void {
  const reason = foreign(stat)
  if (reason !== null) throw new Failure('companion_unavailable', { reason: `${folder} ${reason}` })
  if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700)
}

function foreign(stat: Stats): string | null {
  if (!stat.isDirectory()) return 'is not a folder'
  return stat.uid === process.getuid?.() ? null : 'belongs to another user'
}
