import type { Grant, Scope } from '../../../shared/policy.ts'
import type { Coverage } from './coverage.ts'
import { SESSION_MS } from './lasting.ts'

/** More scopes than this in one session would be the same ones again and again. */
const MAX_SCOPES = 50

/** What a session was allowed and to what it was narrowed, until it or the companion ends. */
export class SessionGrants {
  readonly #grants = new Map<string, { session: string; key: string; grant: Grant }>()
  readonly #scopes = new Map<string, Map<string, Scope>>()

  put(session: string, operation: string, { key, text }: Coverage): void {
    const now = Date.now()
    const id = `s${key.slice(0, 7)}`
    this.#grants.set(`${session}\n${key}`, {
      session,
      key,
      grant: {
        ...{ id, operation, covers: `${text} (${session})`, lasts: 'session' },
        ...{ granted_at: now, expires_at: now + SESSION_MS },
      },
    })
  }

  has(session: string, key: string): boolean {
    const found = this.#grants.get(`${session}\n${key}`)
    return found !== undefined && found.grant.expires_at > Date.now()
  }

  list(): Grant[] {
    const now = Date.now()
    return [...this.#grants.values()].map(({ grant }) => grant).filter(grant => grant.expires_at > now)
  }

  revoke(id?: string): number {
    const hit = [...this.#grants].filter(([, { grant }]) => id === undefined || grant.id === id)
    for (const [key] of hit) this.#grants.delete(key)
    return hit.length
  }

  /** Adds scopes to those of the session and gives all. A scope that is there stays. */
  narrow(session: string, scopes: readonly Scope[]): Scope[] {
    const kept = this.#scopes.get(session) ?? new Map<string, Scope>()
    for (const scope of scopes) if (kept.size < MAX_SCOPES) kept.set(JSON.stringify(scope), scope)
    if (kept.size > 0) this.#scopes.set(session, kept)
    // What found no room in memory narrows this call all the same.
    return [...new Set([...kept.values(), ...scopes])]
  }
}
