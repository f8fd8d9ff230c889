import { Strategy } from '../../shared/envelope.ts'
import type { StrategyCachePort } from '../ports/state.ts'
import type { Database } from './database.ts'

/** An answer older than this is probed again: sites change, and a cheaper strategy may work by now. */
export const STRATEGY_TTL_MS = 7 * 86_400_000

export function openStrategyCache(options: { db: Database; now?: () => number }): StrategyCachePort {
  const { db, now = Date.now } = options
  return {
    get({ operation, profile }) {
      const row = db.get(
        'SELECT strategy, login, found_at FROM strategies WHERE operation = ? AND profile = ? AND found_at > ?',
        [operation, profile, now() - STRATEGY_TTL_MS],
      )
      const parsed = Strategy.safeParse(row?.strategy)
      if (!row || !parsed.success) return null
      const login = row.login === null ? null : String(row.login)
      return { strategy: parsed.data, login, expiresAt: Number(row.found_at) + STRATEGY_TTL_MS }
    },
    put({ operation, profile }, strategy, login) {
      db.run(
        'INSERT OR REPLACE INTO strategies (operation, profile, strategy, login, found_at) VALUES (?, ?, ?, ?, ?)',
        [operation, profile, strategy, login, now()],
      )
    },
    drop({ operation, profile }) {
      db.run('DELETE FROM strategies WHERE operation = ? AND profile = ?', [operation, profile])
    },
  }
}
