import { expect, test } from 'vitest'
import { isRecord, parsedJson } from './json.ts'

test('a text that is no JSON gives what stands in for it', () => {
  expect(parsedJson('{"名": [1, null]}', undefined)).toEqual({ 名: [1, null] })
  expect(parsedJson('null', 'otherwise')).toBeNull()
  expect(parsedJson('', null)).toBeNull()
  expect(parsedJson('{"a":', 'otherwise')).toBe('otherwise')
})

test('an object with named fields is told from a list, from nothing and from what stands alone', () => {
  expect([{}, { a: 1 }].map(isRecord)).toEqual([true, true])
  expect([[], null, undefined, 'text', 1, () => 1].map(isRecord)).toEqual(Array(6).fill(false))
})
