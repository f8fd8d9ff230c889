import { Failure } from '../../shared/failures.ts'
import { isOfSite } from '../../shared/sites.ts'
import { parseAddress } from './tab-address.ts'

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
  /** Session → the origins that its calls have named so far. */
  readonly #named = new Map<string, Set<string>>()

  /** For as long as a call works; returns what ends it. */
  enter(call: Entered): () => void {
    this.#calls.add(call)
    const { session } = parseAddress(call.session)
    const named = this.#named.get(session) ?? new Set()
    for (const origin of call.granted) named.add(origin)
    this.#named.set(session, named)
    return () => void this.#calls.delete(call)
  }

  /** The session is over: another one may come to have its name. */
  end(session: string): void {
    this.#named.delete(session)
  }

  /** Whether a call of the session has named it, and the person has not taken it back since. */
  hasNamed(session: string, origin: string): boolean {
    return this.#named.get(session)?.has(origin) ?? false
  }

  /** The person took a site back; null: all of them. */
  forget(site: string | null): void {
    for (const named of this.#named.values())
      for (const origin of named) if (site === null || isOfSite(origin, site)) named.delete(origin)
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
