import { describe, expect, test } from 'vitest'
import { compilePattern } from './pattern.ts'

const CASES: [string, string, string][] = [
  ['^Save a', '', 'Save all'],
  ['all$', '', 'Save all'],
  ['^all', '', 'Save all'],
  ['(foo|bar)+baz', '', 'xfoobarbaz'],
  ['(foo|bar)+baz', '', 'xfoobarba'],
  ['a{2,3}b', '', 'aaab'],
  ['^a{2}$', '', 'aaa'],
  ['colou?r', 'i', 'COLOR'],
  ['\\d+\\.\\d{2}', '', 'EUR 12.50'],
  ['[^a-z]', '', 'abc'],
  ['[\\]x]', '', ']'],
  ['\\bcat\\b', '', 'a cat sat'],
  ['\\bcat\\b', '', 'concatenate'],
  ['保存|删除', '', '请删除'],
  ['^\\p{Script=Han}+$', 'u', '张伟'],
  ['.', '', '😀'],
  ['^.$', 'u', '😀'],
  ['(?:a|b|c)d', '', 'cd'],
  ['(?<year>\\d{4})', '', 'in 2026'],
  ['a||b', '', ''],
  ['(a*)*b', '', 'aaac'],
  ['x*', '', ''],
  ['^b', 'm', 'a\nb'],
  ['\\-\\/', '', '-/'],
  ['a.c', '', 'a\nc'],
  ['a.c', 's', 'a\nc'],
  ['}', '', '{}'],
]

describe('a pattern', () => {
  test.each(CASES)('/%s/%s on %j matches as it does in JavaScript', (source, flags, text) => {
    expect(compilePattern(source, flags).test(text)).toBe(new RegExp(source, flags).test(text))
  })

  test.each(['(', 'a)', '*a', '(?=a)', '(?<!a)b', '(a)\\1', '[a', 'a{9999}', '\\'])(
    '/%s/ is refused',
    source => {
      expect(() => compilePattern(source, '')).toThrow(SyntaxError)
    },
  )

  test('that an engine which backtracks would never finish takes no time', () => {
    const { user } = process.cpuUsage()
    expect(compilePattern('(a+)+$', '').test(`${'a'.repeat(5000)}!`)).toBe(false)
    expect(compilePattern('(a|a)*b', '').test('a'.repeat(5000))).toBe(false)
    expect(process.cpuUsage().user - user).toBeLessThan(1_000_000)
  })
})
