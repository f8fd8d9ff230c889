import { expect, test } from 'vitest'
import { callOf } from './evaluate.ts'

test.each([
  ['document.title', [], 'document.title'],
  ['() => document.title', [], '(() => document.title)(...[])'],
  ['async (a, b) => a + b;', [1, '桥'], '(async (a, b) => a + b)(...[1,"桥"])'],
  ['function (x) { return x }', [null], '(function (x) { return x })(...[null])'],
  ['名 => 名', [2], '(名 => 名)(...[2])'],
  ['(1 + 2) * 3', [], '(1 + 2) * 3'],
  ['let f = () => 1; f()', [], 'let f = () => 1; f()'],
])('%s with %j is run as %s', (expression, args, expected) => {
  expect(callOf(expression, args)).toBe(expected)
})
