import { expect, test } from 'vitest'
import { callOf, callOn } from './evaluate.ts'

test.each([
  ['document.title', [], 'document.title'],
  ['() => document.title', [], '(() => document.title\n)(...[])'],
  ['async (a, b) => a + b;', [1, '桥'], '(async (a, b) => a + b\n)(...[1,"桥"])'],
  ['function (x) { return x }', [null], '(function (x) { return x }\n)(...[null])'],
  ['名 => 名', [2], '(名 => 名\n)(...[2])'],
  ['() => 1 // so', [], '(() => 1 // so\n)(...[])'],
  ['(1 + 2) * 3', [], '(1 + 2) * 3'],
  ['let f = () => 1; f()', [], 'let f = () => 1; f()'],
])('%s with %j is run as %s', (expression, args, expected) => {
  expect(callOf(expression, args)).toBe(expected)
})

test('an expression has the element as el, a function as its first argument', () => {
  const child = { localName: 'b', textContent: 'x' }
  const page = { document: { childNodes: [{}, { shadowRoot: { childNodes: [child] } }] } }
  const run = (expression: string, args: unknown[] = []): unknown =>
    new Function('document', `return ${callOn({ steps: [1, -1, 0], tag: 'b' }, expression, args)}`)(
      page.document,
    )
  expect(run('el.textContent')).toBe('x')
  expect(run('el.textContent; ')).toBe('x')
  expect(run('(node, more) => node.textContent + more', ['y'])).toBe('xy')
  child.localName = 'i'
  expect(() => run('el.textContent')).toThrow('moved')
})
