import { Failure } from '../../shared/failures.ts'

interface Entered {
  session: string
  granted: readonly string[]
  /** It only reads, so that it may be asked again. */
  repeats: boolean
}

/**
 * Keeps scripts out of pages of sites that the person has not granted, whatever the page did since a call began: each
 * call names the origins that it may touch.
 */
export class SiteGate {
  readonly #calls = new Set<Entered>()

  /** For as long as a call works; returns what ends it. */
  enter(call: Entered): () => void {
    this.#calls.add(call)
    return () => void this.#calls.delete(call)
  }

  /**
   * Whether a script may run in a page at this address now. Where it may not, a call that only reads fails with
   * site_not_granted, so that it is asked again once the person has granted the site; for one that may have acted, the
   * page that it acted on is gone.
   */
  opens(session: string, url: string): boolean {
    const origin = originOf(url)
    const calls = [...this.#calls].filter(call => call.session === session)
    if (origin === null || calls.some(({ granted }) => granted.includes(origin))) return true
    if (calls.some(({ repeats }) => !repeats)) return false
    throw new Failure('site_not_granted', { origin })
  }
}

/** Null for a page that is no site's, such as an empty one or one that shows an error of the browser. */
export function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin } = new URL(url)
  return origin === 'null' ? null : origin
}

/** Fails with site_not_granted. */
export function checkGranted(url: string, granted: readonly string[]): void {
  const origin = originOf(url)
  if (origin !== null && !granted.includes(origin)) throw new Failure('site_not_granted', { origin })
}
