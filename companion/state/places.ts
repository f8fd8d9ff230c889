import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { PlacesPort } from '../ports/policy.ts'

/**
 * The places of this machine, for the judge of paths.
 *
 * @param home of the person
 * @param own UNICLI_HOME
 */
export const openPlaces = (home: string, own: string): PlacesPort => ({ home, own, real })

/** What does not exist has no links: the part above it may. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const above = dirname(path)
    // Also what cannot be looked into, is too long, or links to itself is judged by what is known of it.
    if (!(error instanceof Error && 'code' in error) || above === path) return path
    return join(await real(above), basename(path))
  }
}
