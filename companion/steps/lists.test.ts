import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

const books = [
  { id: 1, lang: 'zh', by: { id: 7 } },
  { id: 2, lang: 'en', by: { id: 8 } },
  { id: 3, lang: 'zh', by: { id: 7 } },
]

describe('unique', () => {
  it.each([
    ['tells a number from its text', {}, [1, '1', 1], [1, '1']],
    [
      'takes objects as equal whatever the order of their keys',
      {},
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      [{ a: 1, b: [2] }],
    ],
    [
      'never takes a text for an object that reads the same',
      {},
      ['{"a":1}', { a: 1 }],
      ['{"a":1}', { a: 1 }],
    ],
    ['takes an expression alone', 'item.lang', books, [books[0], books[1]]],
  ])('%s', async (_, options, data, want) => {
    expect(await answerOf([{ unique: options }], data)).toEqual(want)
  })
})

describe('group', () => {
  it('keeps the items in their order, groups in order of appearance', async () => {
    expect(await answerOf([{ group: 'item.by' }], books)).toEqual([
      { key: { id: 7 }, items: [books[0], books[2]] },
      { key: { id: 8 }, items: [books[1]] },
    ])
  })
})

describe('flatten', () => {
  it('goes as deep as asked', async () => {
    expect(await answerOf([{ flatten: {} }], [[1, [2]], 3])).toEqual([1, [2], 3])
    expect(await answerOf([{ flatten: { depth: 2 } }], [[1, [2]], 3])).toEqual([1, 2, 3])
  })

  it('keeps a row whose field holds no list', async () => {
    expect(await answerOf([{ flatten: { field: 't' } }], [{ t: null }, { t: [] }, { t: ['x'] }])).toEqual([
      { t: null },
      { t: 'x' },
    ])
  })
})

describe('join', () => {
  const users = [
    { id: 7, name: 'Ann', lang: 'fr' },
    { id: null, name: 'nobody' },
    { id: 7, name: 'An' },
  ]

  it('gives a row for every match; fields of the data win', async () => {
    const steps = [
      { join: { with: users, on: 'by.id', equals: 'id' } },
      { map: { n: '${{ item.name }}', l: '${{ item.lang }}', id: '${{ item.id }}' } },
    ]
    expect(await answerOf(steps, books)).toEqual([
      { n: 'Ann', l: 'zh', id: 1 },
      { n: 'An', l: 'zh', id: 1 },
      { n: 'Ann', l: 'zh', id: 3 },
      { n: 'An', l: 'zh', id: 3 },
    ])
  })

  it('gives rows without a match the same columns when it is a left join', async () => {
    const rows = [{ by: 9 }, { by: null }]
    expect(await answerOf([{ join: { with: users, on: 'by', equals: 'id', kind: 'left' } }], rows)).toEqual([
      { id: null, name: null, lang: null, by: 9 },
      { id: null, name: null, lang: null, by: null },
    ])
  })

  it('takes the other list from vars', async () => {
    const steps = [{ set: { users } }, { join: { with: '${{ vars.users }}', on: 'id', as: 'user' } }]
    expect(await answerOf(steps, [{ id: 7 }])).toHaveLength(2)
  })
})

describe('append', () => {
  it('adds the data as one, or its items', async () => {
    const steps = [
      { append: 'all' },
      { append: { to: 'all', items: true } },
      { map: { all: '${{ vars.all }}' } },
      { limit: 1 },
    ]
    expect(await answerOf(steps, [1, 2])).toEqual([{ all: [[1, 2], 1, 2] }])
  })

  it('refuses a name that holds no list', async () => {
    const failure = await failureOf([{ set: { all: 'x' } }, { append: 'all' }], [1])
    expect(failure.message).toContain('a list is needed, this is a string')
  })
})
