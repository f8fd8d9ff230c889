import { Grant } from '../../shared/policy.ts'
import type { GrantPort } from '../ports/policy.ts'
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
