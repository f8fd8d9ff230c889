import { expect, test } from 'vitest'
import type { Exchange, SessionTraffic } from '../ports/traffic.ts'
import type { Run } from './run-state.ts'
import { grantedTraffic } from './traffic-access.ts'

const exchange = (number: number, kind: string, url: string, tab = 1): Exchange =>
  ({ id: `r${number}`, number, kind, url, tab, started_at: number * 10 }) as Exchange

const SEEN = [
  exchange(1, 'document', 'https://a.example/'),
  exchange(2, 'fetch', 'https://cdn.example/a.json'),
  exchange(3, 'document', 'https://b.example/login'),
  exchange(4, 'fetch', 'https://a.example/from-b'),
  exchange(5, 'fetch', 'https://a.example/other-tab', 2),
]

test('what was seen on a page of a site that is not granted is not told', () => {
  const lines = [5, 15, 35].map(at => ({ at, tab: 1, text: `at ${at}` }))
  const traffic = {
    find: ({ kinds }: { kinds?: string[] }) => ({
      found: SEEN.filter(({ kind }) => kinds?.includes(kind) ?? true),
    }),
    get: (id: string) => SEEN.find(each => each.id === id) ?? null,
    body: () => new Uint8Array(1),
    lines: () => ({ found: lines }),
  } as unknown as SessionTraffic
  const run = { permits: (url: string) => new URL(url).hostname === 'a.example' } as Run
  const granted = grantedTraffic(traffic, run)
  expect(granted.find({}).found.map(({ id }) => id)).toEqual(['r1', 'r2', 'r5'])
  expect([granted.get('r2')?.id, granted.get('r4'), granted.body('r3', 'response_body')]).toEqual([
    'r2',
    null,
    null,
  ])
  expect(granted.lines({}).found.map(({ at }) => at)).toEqual([5, 15])
})
