import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

const rows = [
  { id: 1, name: '乙', score: 30, tags: ['x'] },
  { id: 2, name: 'b', score: null, tags: [] },
  { id: 3, name: 'a', score: 4, tags: ['y', 'z'] },
]

// biome-ignore lint/suspicious/noThenProperty: the step's own option name; a list is never awaited as a promise
const branches = { when: 'args.n > 1', then: [{ limit: 1 }], else: [{ limit: 0 }] }

describe('a pipeline of rows', () => {
  it.each([
    ['select goes to a place', [{ select: '0.name' }], '乙'],
    [
      'map keeps types',
      [{ map: { n: '${{ item.score }}', t: 'no ${{ index }}' } }, { limit: 1 }],
      [{ n: 30, t: 'no 0' }],
    ],
    [
      'filter keeps what holds',
      [{ filter: 'item.score > 5' }, { map: { id: '${{ item.id }}' } }],
      [{ id: 1 }],
    ],
    [
      'sort by number puts missing last',
      [{ sort: { by: 'score' } }, { map: { id: '${{ item.id }}' } }],
      [{ id: 3 }, { id: 1 }, { id: 2 }],
    ],
    [
      'sort falls too, missing still last',
      [{ sort: { by: 'score', order: 'desc' } }, { map: { id: '${{ item.id }}' } }],
      [{ id: 1 }, { id: 3 }, { id: 2 }],
    ],
    ['sort by text in short form', [{ sort: 'name' }, { select: '0.id' }], 3],
    [
      'sort by the alphabet of a language',
      [{ sort: { by: 'name', locale: 'zh' } }, { select: '2.name' }],
      'b',
    ],
    ['skip leaves out the first', [{ skip: 2 }, { select: '0.id' }], 3],
    ['count counts what holds', [{ count: { when: 'item.score' } }], 2],
    [
      'limit takes a template',
      [{ limit: '${{ args.n }}' }, { map: { id: '${{ item.id }}' } }],
      [{ id: 1 }, { id: 2 }],
    ],
    [
      'set names a value for later',
      [{ set: { first: '${{ data[0].id }}' } }, { map: { f: '${{ vars.first }}' } }, { limit: 1 }],
      [{ f: 1 }],
    ],
    ['if takes the branch that holds', [{ if: branches }, { select: '0.id' }], 1],
    ['each keeps the order', [{ each: { do: [{ select: 'id' }], concurrency: 3 } }], [1, 2, 3]],
    [
      'each shows item and index within',
      [{ each: { do: [{ map: { i: '${{ index }}' } }] } }, { select: '2.i' }],
      0,
    ],
    [
      'assert lets through what holds',
      [{ assert: { that: 'data | length == 3', message: 'm' } }, { select: '1.id' }],
      2,
    ],
  ])('%s', async (_, steps, want) => {
    expect(await answerOf(steps, rows, { n: 2 })).toEqual(want)
  })

  it.each([
    [
      'a path that leads nowhere names what is there',
      [{ select: '0.title' }],
      'select_missed',
      'id, name, score, tags',
    ],
    [
      'a failed assertion gives its message',
      [{ assert: { that: 'data | length > 9', message: 'ten rows' } }],
      'assertion_failed',
      'ten rows',
    ],
    [
      'a limit that is no number is no silent default',
      [{ limit: '${{ args.word }}' }],
      'adapter_invalid',
      'expected number',
    ],
    [
      'a filter over no list is drift',
      [{ select: '0' }, { filter: 'true' }],
      'parse_failed',
      'a list is needed',
    ],
  ])('%s', async (_, steps, code, text) => {
    const failure = await failureOf(steps, rows, { word: 'many' })
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(text)
  })

  it('each keeps what its items set apart', async () => {
    const steps = [
      {
        each: {
          do: [{ set: { mine: '${{ data }}' } }, { map: { mine: '${{ vars.mine }}' } }],
          concurrency: 3,
        },
      },
    ]
    expect(await answerOf(steps, [1, 2, 3])).toEqual([{ mine: 1 }, { mine: 2 }, { mine: 3 }])
  })
})
