import { expect, it } from 'vitest'
import { nextArgs } from './pagination.ts'

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id }))

it('asks for the page after a full one, and for none after the last', () => {
  const pages = { by: 'page', arg: 'page', size: 'limit' } as const
  expect(nextArgs(pages, { page: 2, limit: 3, q: 'x' }, rows(3))).toEqual({ page: 3, limit: 3, q: 'x' })
  expect(nextArgs(pages, { limit: 3 }, rows(3))).toEqual({ page: 2, limit: 3 })
  expect(nextArgs(pages, { page: 2, limit: 3 }, rows(2))).toBeNull()
})

it('goes on behind the rows that came', () => {
  const offset = { by: 'offset', arg: 'from' } as const
  expect(nextArgs(offset, { from: 10 }, rows(4))).toEqual({ from: 14 })
  expect(nextArgs(offset, {}, [])).toBeNull()
})

it('takes the cursor out of the rows, and ends when it is nothing or the same', () => {
  const cursor = { by: 'cursor', arg: 'after', cursor: "data | last | get('id')" } as const
  expect(nextArgs(cursor, {}, rows(4))).toEqual({ after: 3 })
  expect(nextArgs(cursor, { after: 3 }, rows(4))).toBeNull()
  expect(nextArgs(cursor, {}, [])).toBeNull()
})
