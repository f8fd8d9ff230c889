import { describe, expect, test } from 'vitest'
import { under } from './snapshot.ts'

const shot = (text: string, refs: number) => ({
  text,
  url: 'u',
  title: 't',
  refs,
  truncated: false,
  tokens: 9,
  frames: [],
})

describe('under', () => {
  test('puts a frame under the line of its element, however deep', () => {
    const outer = shot('- main:\n  - iframe "Pay" [d1e7]\n  - button "Next" [d1e8]', 2)
    expect(under(outer, 'd1e7', shot('- button "Pay" [d2e1]\n- text "or"', 1))).toEqual({
      ...shot(
        '- main:\n  - iframe "Pay" [d1e7]:\n    - button "Pay" [d2e1]\n    - text "or"\n  - button "Next" [d1e8]',
        3,
      ),
      tokens: 19,
    })
  })

  test('leaves a text alone whose line of the frame was cut off', () => {
    const outer = shot('- main', 0)
    expect(under(outer, 'd1e7', shot('- button', 1))).toBe(outer)
  })
})
