import { describe, expect, it } from 'vitest'
import { cut, oneLine, printable, widthOf } from './text.ts'

describe('cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['東京都', 6, '東京都'],
    ['東京都', 5, '東京…'],
    ['東京都', 4, '東…'],
    ['東京都', 1, '…'],
    ['x', 0, ''],
    ['👨‍👩‍👧x', 2, '…'],
    ['👨‍👩‍👧xy', 3, '👨‍👩‍👧…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
  ])('brings %j to %d columns', (text, width, cutText) => {
    expect(cut(text, width)).toBe(cutText)
    expect(widthOf(cut(text, width))).toBeLessThanOrEqual(width)
  })
})

describe('text for a terminal', () => {
  it('has no control but line ends and tabs', () => {
    expect(printable('a\r\nb\tc\u001b[31md\u0007\u009be\rf')).toBe('a\nb\tc[31mdef')
  })

  it('is one line when it must be', () => {
    expect(oneLine('  a\n\n b\u3000\tc ')).toBe('a b c')
  })
})
