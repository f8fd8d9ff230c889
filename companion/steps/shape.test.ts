import { describe, expect, it } from 'vitest'
import { answerOf, failureOf } from '../../tests/support/step-answer.ts'

const rows = [{ id: 1, name: '桥' }, { id: 2 }]

describe('the fields of rows', () => {
  it.each([
    [
      'pick keeps the order of its names and fills gaps',
      [{ pick: ['name', 'id'] }],
      rows,
      [
        { name: '桥', id: 1 },
        { name: null, id: 2 },
      ],
    ],
    ['pick takes one object too', [{ pick: ['id'] }], { id: 1, x: 2 }, { id: 1 }],
    ['pick takes an empty list', [{ pick: ['id'] }], [], []],
    ['omit leaves alone what is not there', [{ omit: ['name', 'none'] }], rows, [{ id: 1 }, { id: 2 }]],
    [
      'rename leaves the order',
      [{ rename: { id: 'number' } }],
      rows,
      [{ number: 1, name: '桥' }, { number: 2 }],
    ],
    [
      'to_entries and from_entries undo each other',
      [{ to_entries: {} }, { from_entries: {} }],
      { a: 1, 桥: [2] },
      { a: 1, 桥: [2] },
    ],
    [
      'a field called __proto__ is a field',
      [{ pick: ['__proto__'] }],
      JSON.parse('{"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ])('%s', async (_, steps, data, want) => {
    const answer = await answerOf(steps, data)
    expect(JSON.stringify(answer)).toBe(JSON.stringify(want))
  })

  it.each([
    ['pick', { pick: ['title'] }],
    ['rename', { rename: { title: 'name' } }],
    ['from_entries', { from_entries: {} }],
  ])('%s fails when no row has the field: the site renamed it', async (_, step) => {
    const failure = await failureOf([step], rows)
    expect(failure.code).toBe('select_missed')
    expect(failure.message).toContain('Keys there: id, name')
  })

  it('a row that is no object is drift', async () => {
    const failure = await failureOf([{ omit: ['a'] }], ['text'])
    expect(failure.message).toContain('an object with named fields is needed, this is a string')
  })
})
