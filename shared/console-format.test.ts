import { expect, it } from 'vitest'
import { consoleText } from './console-format.ts'

it.each([
  [['a', 'b'], 'a b'],
  [['%s is %d, %o', 'x', '1', '{a: 1}', 'more'], 'x is 1, {a: 1} more'],
  [['%cstyled%c %s', 'color: red', '', 'text'], 'styled text'],
  [['100%% of %s', '竹'], '100% of 竹'],
  [['100%'], '100%'],
  [['%s and %s', 'one'], 'one and %s'],
  [['%x %', 'y'], '%x % y'],
  [[], ''],
])('a line of a console reads as its marks say: %j', (texts, line) => {
  expect(consoleText(texts, true)).toBe(line)
})

it('an object that comes first has no marks', () => {
  expect(consoleText(['{a: "%s"}', 'b'], false)).toBe('{a: "%s"} b')
})
