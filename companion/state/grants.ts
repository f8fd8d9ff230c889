import { Grant, SiteGrant } from '../../shared/policy.ts'
import type { GrantPort, SiteWordPort } from '../ports/policy.ts'
import type { Database, Row } from './database.ts'

/** Allowances that a person gave for always, kept until they expire or are revoked. */
export function openGrants(options: { db: Database; now?: () => number }): GrantPort {
  const { db, now = Date.now } = options
  return {
    put(key, { id, operation, covers, granted_at, expires_at }) {
      db.run('DELETE FROM grants WHERE expires_at <= ?', [now()])
      db.run(
        'INSERT OR REPLACE INTO grants (key, id, operation, covers, granted_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
        [key, id, operation, covers, granted_at, expires_at],
      )
    },
    find(key) {
      const row = db.get('SELECT * FROM grants WHERE key = ? AND expires_at > ?', [key, now()])
      return row === null ? null : grantOf(row)
    },
    list: () => db.all('SELECT * FROM grants WHERE expires_at > ? ORDER BY granted_at', [now()]).map(grantOf),
    revoke: id =>
      id === undefined ? db.run('DELETE FROM grants') : db.run('DELETE FROM grants WHERE id = ?', [id]),
  }
}

const grantOf = ({ id, operation, covers, granted_at, expires_at }: Row): Grant =>
  Grant.parse({ id, operation, covers, lasts: 'always', granted_at, expires_at })

/** What the person said of sites for good. All of it is in memory as well, for it is asked at every call. */
export function openSiteWords(options: { db: Database; now?: () => number }): SiteWordPort {
  const { db, now = Date.now } = options
  const kept = new Map(
    db.all('SELECT * FROM sites').map(({ site, word, granted_at, expires_at }) => {
      const grant = SiteGrant.parse({ site, word, session: null, granted_at, expires_at })
      return [grant.site, grant]
    }),
  )
  const holds = ({ expires_at }: SiteGrant): boolean => expires_at === null || expires_at > now()
  return {
    put(grant) {
      const { site, word, granted_at, expires_at } = grant
      db.run('INSERT OR REPLACE INTO sites (site, word, granted_at, expires_at) VALUES (?, ?, ?, ?)', [
        ...[site, word, granted_at, expires_at],
      ])
      kept.set(site, grant)
    },
    find(site) {
      const grant = kept.get(site)
      return grant !== undefined && holds(grant) ? grant : null
    },
    list: () => [...kept.values()].filter(holds).toSorted((a, b) => a.granted_at - b.granted_at),
    forget(site) {
      const hit = site === undefined ? [...kept.keys()] : kept.has(site) ? [site] : []
      for (const each of hit) {
        db.run('DELETE FROM sites WHERE site = ?', [each])
        kept.delete(each)
      }
      return hit.length
    },
  }
}
