import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { type Database, openDatabase } from './database.ts'
import { openStrategyCache, STRATEGY_TTL_MS } from './strategies.ts'

let db: Database
beforeEach(() => {
  db = openDatabase({ file: ':memory:', log: recordingLog() })
})
afterEach(() => db.close())

const key = { operation: 'wiki.page', profile: 'home' }

describe('the strategy cache', () => {
  it('keeps the last answer per operation and profile', () => {
    const cache = openStrategyCache({ db })
    cache.put(key, 'cookie', null)
    cache.put(key, 'intercept', 'somebody')
    expect(cache.get(key)).toMatchObject({ strategy: 'intercept', login: 'somebody' })
    expect(cache.get({ ...key, profile: 'work' })).toBeNull()
    expect(cache.get({ ...key, operation: 'wiki.search' })).toBeNull()
  })

  it('forgets an answer on demand and after a week', () => {
    let time = 1_000_000
    const cache = openStrategyCache({ db, now: () => time })
    cache.put(key, 'cookie', null)
    time += STRATEGY_TTL_MS - 1
    expect(cache.get(key)).toMatchObject({
      strategy: 'cookie',
      login: null,
      expiresAt: 1_000_000 + STRATEGY_TTL_MS,
    })
    time += 1
    expect(cache.get(key)).toBeNull()
    cache.put(key, 'ui', null)
    cache.drop(key)
    expect(cache.get(key)).toBeNull()
  })
})
