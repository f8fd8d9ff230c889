import { OLDEST_PROTOCOL, PROTOCOL } from './chunk.ts'
import { Failure } from './failures.ts'

/** One of two that talk, and the command or act that updates it. */
export interface Side {
  name: string
  mend: string
}

/**
 * A skew of one version works in both directions: the newer side speaks the older one's protocol. Beyond it,
 * the older side is the one to update.
 */
export function versionSkew(
  theirs: Side & { protocol: number },
  own: Side,
  spoken = { newest: PROTOCOL, oldest: OLDEST_PROTOCOL },
): Failure<'version_skew'> | null {
  if (theirs.protocol < spoken.oldest)
    return new Failure('version_skew', {
      side: theirs.name,
      have: String(theirs.protocol),
      need: `${spoken.oldest} or later`,
      mend: theirs.mend,
    })
  if (theirs.protocol > spoken.newest + 1)
    return new Failure('version_skew', {
      side: own.name,
      have: String(spoken.newest),
      need: `${theirs.protocol - 1} or later`,
      mend: own.mend,
    })
  return null
}
