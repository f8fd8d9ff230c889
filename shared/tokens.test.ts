import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { cutToTokens, tokensOf } from './tokens.ts'

const SAMPLES = [
  '- navigation "Main":\n  - link "Home" [d1e1] -> /\n  - link "Elsewhere" [d1e2] -> https://example.org/path?q=1\n- heading "Orders" level=1',
  '- table "Prices":\n  - row: Name | Price | \n  - row: Tea | 1.20 | button "Buy tea" [d1e13]\n  - row: Coffee | 2.40 | sold out',
  '- text "A paragraph with bold words and more of the usual English prose, which goes on for a while and then some."',
  '- list "待办事项":\n  - listitem: "保存草稿", button "删除" [d1e12]\n  - listitem: "回复张伟的邮件", button "完成" [d1e13]',
  '- text "这是一个很长的中文段落，用来测试令牌的估计。今天的天气很好，我们一起去公园散步吧。"',
  '- combobox "Colour" [d1e5]: Blue (options: Red | Blue)\n- textbox "Password" [d1e4] type=password: [filled]',
]

describe('the estimate of tokens', () => {
  test.each(SAMPLES)('is within a quarter of what a tokenizer says: %s', sample => {
    const real = encode(sample).length
    expect(tokensOf(sample) / real).toBeGreaterThan(0.85)
    expect(tokensOf(sample) / real).toBeLessThan(1.25)
  })

  test('cuts a text where the budget ends, between its words', () => {
    expect(cutToTokens('one two three four five', 4)).toBe('one two three…')
    expect(cutToTokens('one two', 4)).toBe('one two')
  })
})
