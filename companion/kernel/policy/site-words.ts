import type { SiteGrant, SiteWord } from '../../../shared/policy.ts'
import type { SiteWordPort } from '../../ports/policy.ts'
import { ALWAYS_MS, SESSION_MS } from './lasting.ts'

/** What the person said of sites: for one session in memory, for all of them or for none in the state folder. */
export class SiteWords {
  readonly #kept: SiteWordPort
  readonly #sessions = new Map<string, SiteGrant>()

  constructor(kept: SiteWordPort) {
    this.#kept = kept
  }

  /** The word that holds for a session. A never outdoes what was said for the session. */
  find(site: string, session: string): SiteGrant | null {
    const kept = this.#kept.find(site)
    if (kept?.word === 'never') return kept
    const own = this.#sessions.get(keyOf(site, session))
    return own !== undefined && holds(own) ? own : kept
  }

  /** A word takes the place of those before it, but one for a session leaves what other sessions have. */
  put(site: string, word: SiteWord, session: string | null): void {
    const now = Date.now()
    if (word === 'session' && session !== null) {
      if (this.#kept.find(site)?.word === 'never') this.#kept.forget(site)
      const grant = { site, word, session, granted_at: now, expires_at: now + SESSION_MS }
      this.#sessions.set(keyOf(site, session), grant)
      return
    }
    this.#dropSessions(site)
    const expires_at = word === 'never' ? null : now + ALWAYS_MS
    this.#kept.put({ site, word, session: null, granted_at: now, expires_at })
  }

  list(): SiteGrant[] {
    return [...this.#kept.list(), ...[...this.#sessions.values()].filter(holds)]
  }

  /** How many were there to forget; without a site, all. */
  forget(site?: string): number {
    return this.#dropSessions(site) + this.#kept.forget(site)
  }

  #dropSessions(site?: string): number {
    const hit = [...this.#sessions].filter(([, grant]) => site === undefined || grant.site === site)
    for (const [key] of hit) this.#sessions.delete(key)
    return hit.length
  }
}

const keyOf = (site: string, session: string): string => `${session}\n${site}`
const holds = ({ expires_at }: SiteGrant): boolean => expires_at === null || expires_at > Date.now()
