import { lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../../shared/failures.ts'
import { errno, fileFailure } from './errno.ts'

/** Folders that may be touched, and the one that relative paths begin in. */
export interface Grants {
  folders: readonly string[]
  /** What a person is told to be able to use: the run's temp folder is not among them. */
  shown: readonly string[]
  base: string
}

/**
 * The absolute path, with links resolved, that `path` leads to; its last parts need not exist yet. Fails with
 * path_not_granted when it leads out of every granted folder, also over a link.
 */
export async function grantedPath(path: string, grants: Grants): Promise<string> {
  const asked = absoluteOf(path, grants.base)
  const real = await resolveLinks(asked)
  const refused = new Failure('path_not_granted', { path: asked, granted: [...grants.shown] })
  if (real === null) throw refused
  for (const folder of grants.folders) if (isInside((await resolveLinks(folder)) ?? folder, real)) return real
  throw refused
}

/** `~/` is the person's home; what is relative begins in `base`. */
export function absoluteOf(path: string, base: string): string {
  if (path.includes('\0')) throw new Failure('file_failed', { path, reason: 'a path holds no NUL' })
  if (path === '~' || path.startsWith('~/')) return resolve(homedir(), path.slice(2))
  return isAbsolute(path) ? resolve(path) : resolve(base, path)
}

/** Null for a link that leads nowhere: what would be made there cannot be judged. */
async function resolveLinks(path: string): Promise<string | null> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing)
    } catch (error) {
      if (errno(error) !== 'ENOENT' && errno(error) !== 'ENOTDIR') throw fileFailure(path, error)
      if (await isThere(at)) return null
      missing.unshift(basename(at))
    }
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path)
    return true
  } catch (error) {
    if (errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR') return false
    throw fileFailure(path, error)
  }
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
