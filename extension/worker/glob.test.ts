import { expect, test } from 'vitest'
import { globOf } from './glob.ts'

test.each([
  [null, 'anything', true],
  ['mail', 'https://Mail.example/inbox', true],
  ['mail', 'https://example/', false],
  ['https://*.example/*', 'https://a.example/x', true],
  ['https://*.example/*', 'http://a.example/x', false],
  ['*收件箱*', '我的收件箱（3）', true],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'acb', false],
  ['ab*ba', 'aba', false],
  ['a*bc*c', 'abc', false],
])('%s on %s is %s', (pattern, text, expected) => {
  expect(globOf(pattern)(text)).toBe(expected)
})
