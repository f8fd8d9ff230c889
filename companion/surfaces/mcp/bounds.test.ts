import { describe, expect, it } from 'vitest'
import type { Envelope } from '../../../shared/envelope.ts'
import { Envelope as EnvelopeSchema } from '../../../shared/envelope.ts'
import { bounded } from './bounds.ts'

const LIMIT = 5000

const meta: Envelope['meta'] = {
  site: 's',
  command: 'c',
  strategy: null,
  strategy_source: null,
  duration_ms: 1,
  count: null,
  adapter_path: null,
  run_id: 'r',
  effect: 'read',
  verdict: null,
  profile: null,
  session: null,
}
const answer = (data: unknown): Envelope => ({
  ok: true,
  version: 'v2',
  data,
  meta,
  evidence: [],
  error: null,
  exit_code: 0,
})
const failure = (details: Record<string, unknown>): Envelope => ({
  ok: false,
  version: 'v2',
  data: null,
  meta,
  evidence: [],
  error: {
    code: 'internal',
    message: 'm',
    class: 'environment',
    adapter_path: null,
    step: null,
    step_index: null,
    adapter_line: null,
    action: null,
    suggestion: 's',
    retryable: false,
    alternatives: [],
    details,
  },
  exit_code: 1,
})

const text = 'Line one.\n"Quoted" \\ and 犬 and 😀. '

describe('bounds of an answer', () => {
  it('leaves alone what is short enough', () => {
    const envelope = answer({ a: [1, 2, 3] })

    expect(bounded(envelope, LIMIT)).toBe(envelope)
  })

  it.each<[string, unknown]>([
    ['one text', text.repeat(1000)],
    ['a text of line breaks', '\n'.repeat(20_000)],
    ['a text of emoji', '😀'.repeat(5000)],
    ['many rows', Array.from({ length: 1000 }, (_, id) => ({ id, text }))],
    ['few long rows', [1, 2, 3].map(id => ({ id, text: text.repeat(500) }))],
    ['many numbers', Array.from({ length: 5000 }, (_, id) => id)],
    [
      'one text among small values',
      { title: 'T', url: 'https://x.test/', html: text.repeat(1000), count: 3 },
    ],
    ['many keys', Object.fromEntries(Array.from({ length: 2000 }, (_, id) => [`key ${id}`, id]))],
    [
      'many keys with long values',
      Object.fromEntries(Array.from({ length: 300 }, (_, id) => [`key ${id}`, text.repeat(9)])),
    ],
    [
      'deep nesting',
      Array.from({ length: 60 }).reduce<unknown>(inner => ({ inner, text: text.repeat(10) }), 'x'),
    ],
    ['lists of lists', Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => text))],
  ])('cuts %s to the limit and says so', (_, data) => {
    const cut = bounded(answer(data), LIMIT)

    expect(JSON.stringify(cut).length).toBeLessThanOrEqual(LIMIT)
    expect(JSON.stringify(cut).length).toBeGreaterThan(LIMIT / 4)
    expect(EnvelopeSchema.safeParse(cut).error).toBeUndefined()
    expect(cut.meta.truncated).toMatch(/^Left out: \d+ (items|keys|characters)/)
    expect(JSON.stringify(cut)).not.toMatch(/\\ud[89a-f]/)
  })

  it('keeps the first rows whole and the small values of a record', () => {
    const rows = bounded(answer(Array.from({ length: 1000 }, (_, id) => ({ id, text }))), LIMIT)
    const record = bounded(answer({ html: text.repeat(1000), title: 'T', tags: ['a', 'b'] }), LIMIT)

    expect(rows.data).toEqual(
      expect.arrayContaining([
        { id: 0, text },
        { id: 1, text },
      ]),
    )
    expect(record.data).toMatchObject({ title: 'T', tags: ['a', 'b'] })
    expect(Object.keys(record.data as object)).toEqual(['html', 'title', 'tags'])
  })

  it('marks a text where it was cut, with what is missing', () => {
    const whole = 'x'.repeat(20_000)
    const cut = String(bounded(answer(whole), LIMIT).data)

    const [, kept = '', missing = ''] = /^(x+)… \[cut: (\d+) more characters\]$/.exec(cut) ?? []
    expect(kept.length + Number(missing)).toBe(whole.length)
  })

  it('bounds the details of a failure and nothing else of it', () => {
    const envelope = failure({ seen: Array.from({ length: 1000 }, () => text), pattern: '/api' })

    const cut = bounded(envelope, LIMIT)

    expect(JSON.stringify(cut).length).toBeLessThanOrEqual(LIMIT)
    expect(cut.error).toMatchObject({ ...envelope.error, details: { pattern: '/api' } })
  })
})
