import { expect, test } from 'vitest'
import { operation, setUp } from '../../tests/support/kernel-world.ts'
import { project, valueAt } from './projection.ts'

const rows = [
  { title: 'Wiki', author: { name: '山田' }, tags: ['a', 'b'] },
  { title: 'Node', author: { name: 'Ada' }, score: 3 },
]
const page = { items: rows, next: { cursor: 'c2' } }

test.each([
  ['items.0.title', 'Wiki'],
  ['items[1].author.name', 'Ada'],
  ['items.-1.title', 'Node'],
  ['next.cursor', 'c2'],
  ['items.author.name', ['山田', 'Ada']],
  ['items.score', [null, 3]],
  ['$.next.cursor', 'c2'],
  ["$['items'][0]['title']", 'Wiki'],
  ['$..name', ['山田', 'Ada']],
  ['$.items[?@.score > 2].title', ['Node']],
  ['$.items[?@.score > 9]', []],
])('--select %s gives what is there', async (select, value) => {
  expect((await project(page, { select })).data).toEqual(value)
})

test.each([
  ['items.0.titel', /"titel".*/, /did you mean "title"/],
  ['$.nxt', /leads nowhere/, /next/],
  ['$.items[', /is not a JSONPath/, /RFC 9535/],
])('--select %s says what is wrong and what is there instead', async (select, message, hint) => {
  const failed = project(page, { select })
  await expect(failed).rejects.toMatchObject({ code: 'usage' })
  await expect(failed).rejects.toThrow(message)
  await expect(failed).rejects.toMatchObject({ hint: expect.stringMatching(hint) })
})

test('fields are kept in the order that was asked for; one that no row has is told', async () => {
  expect(await project(rows, { fields: ['author.name', 'titel'] })).toEqual({
    data: [
      { 'author.name': '山田', titel: null },
      { 'author.name': 'Ada', titel: null },
    ],
    notes: ['No row has a field "titel".'],
  })
  expect((await project(rows[1], { fields: ['score'] })).data).toEqual({ score: 3 })
})

test('pluck gives one value of each row, after select and fields', async () => {
  expect((await project(rows, { pluck: 'title' })).data).toEqual(['Wiki', 'Node'])
  expect((await project(page, { select: 'items', pluck: 'score' })).data).toEqual([null, 3])
  expect((await project([], { pluck: 'title' })).data).toEqual([])
  await expect(project(rows, { pluck: 'titel' })).rejects.toMatchObject({ code: 'usage' })
})

test('a nested field is found, and a key with a dot before the walk along it', () => {
  const row = { author: { name: '山田' }, 'a.b': 1, a: { b: 2 }, list: ['x'] }
  expect(valueAt(row, 'author.name')).toBe('山田')
  expect(valueAt(row, 'a.b')).toBe(1)
  expect(valueAt(row, 'list.0')).toBe('x')
  expect(valueAt(row, 'author.age.x')).toBeUndefined()
  expect(valueAt(row, '__proto__.x')).toBeUndefined()
})

test('a path that cannot be read is refused before anything runs', async () => {
  const { run, calls } = setUp(operation({ plans: { public: [{ get: 'https://demo.example/' }] } }))
  expect((await run({ options: { select: '$[' } })).error?.code).toBe('usage')
  expect(calls).toEqual([])
})

test('a write that was done is not made to look undone by a path that leads nowhere', async () => {
  const write = operation({ effect: 'write', plans: { public: [{ post: 'https://demo.example/' }] } })
  const answer = await setUp(write).run({ options: { select: 'id' } })
  expect(answer).toMatchObject({ ok: true, data: 'public:[1]' })
  expect(answer.meta.notes?.join()).toMatch(/"id" leads nowhere/)
})

test('every surface gets the same part of an answer, with the columns that go with it', async () => {
  const { run } = setUp(operation({ plans: { public: [{ give: [{ n: 1, m: 2 }] }] } }))
  expect(await run({ options: { fields: ['m'] } })).toMatchObject({
    data: [{ m: 2 }],
    meta: { count: 1, columns: ['m'] },
  })
  const plucked = await run({ options: { pluck: 'n' } })
  expect(plucked.data).toEqual([1])
  expect(plucked.meta.columns).toBeUndefined()
})
