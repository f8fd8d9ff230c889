import { expect, it } from 'vitest'
import { runsQueryOf } from './runs-query.ts'

const NOW = Date.UTC(2026, 10, 30)

it.each([
  ['24h', NOW - 86_400_000],
  ['2026-01-31', Date.UTC(2026, 0, 31)],
  ['2026-01-31T10:00:00Z', Date.UTC(2026, 0, 31, 10)],
])('reads since %s', (since, want) => {
  expect(runsQueryOf({ since }, NOW)).toMatchObject({ limit: 50, since: want })
})

it.each([
  { since: '7' },
  { since: '-5' },
  { since: 'yesterday' },
  { since: '2026-13-45' },
  { since: 'x'.repeat(60) },
  { limit: 5000 },
])('says what is wrong with %j', given => {
  expect(() => runsQueryOf(given, NOW)).toThrow(expect.objectContaining({ code: 'usage' }))
})
