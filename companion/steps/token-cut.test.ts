import { describe, expect, test } from 'vitest'
import { withinTokens } from './token-cut.ts'

describe('withinTokens', () => {
  test('cuts between paragraphs and says how much is left', () => {
    const text = Array.from({ length: 10 }, (_, index) => `${index} ${'word '.repeat(40)}`.trim()).join(
      '\n\n',
    )
    const first = withinTokens(text, 0, 160)
    expect(first.text.split('\n\n')).toHaveLength(3)
    expect(first.tokens).toBeLessThanOrEqual(160)
    expect(first.more).toBeGreaterThan(280)
    const next = withinTokens(text, first.tokens, 160)
    expect(next.text.startsWith('3 word')).toBe(true)
  })

  test('leaves what fits as it is, and counts Chinese as what it costs', () => {
    expect(withinTokens('短い文', 0, 100)).toEqual({ text: '短い文', tokens: 4, more: 0 })
    expect(withinTokens('桥'.repeat(400), 0, 100).text.length).toBeLessThan(401)
  })

  test('cuts a block that is longer than all of the budget', () => {
    const { text, more } = withinTokens('x'.repeat(4000), 0, 200)
    expect(text.length).toBeLessThanOrEqual(801)
    expect(more).toBeGreaterThan(600)
  })
})
