import { describe, expect, test } from 'vitest'
import type { Send } from './debug-attachment.ts'
import { parseCombination, trustedPress, trustedReplace } from './trusted-input.ts'

function recorder(): { send: Send; keys: string[] } {
  const keys: string[] = []
  // No test looks at what a command returns.
  const send = (async (method: string, params: Record<string, unknown> = {}) => {
    if (method === 'Input.dispatchKeyEvent')
      keys.push(`${params.type} ${params.key} ${params.modifiers ?? 0} ${params.text ?? ''}`.trim())
    if (method === 'Input.insertText') keys.push(`insert ${params.text}`)
    return {}
  }) as Send
  return { send, keys }
}

describe('trusted input', () => {
  test('presses a named key, and writes with a key that writes', async () => {
    const { send, keys } = recorder()
    await trustedPress(send, 'Escape')
    await trustedPress(send, 'a')
    await trustedPress(send, 'Shift+a')
    expect(keys).toEqual([
      'rawKeyDown Escape 0',
      'keyUp Escape 0',
      'keyDown a 0 a',
      'keyUp a 0',
      'rawKeyDown Shift 0',
      'keyDown A 8 A',
      'keyUp A 8',
      'keyUp Shift 0',
    ])
  })

  test('writes nothing while a modifier is held', async () => {
    const { send, keys } = recorder()
    await trustedPress(send, 'ctrl+Shift+k')
    expect(keys.slice(0, 3)).toEqual(['rawKeyDown Control 0', 'rawKeyDown Shift 0', 'rawKeyDown K 10'])
    expect(keys.slice(-2)).toEqual(['keyUp Shift 0', 'keyUp Control 0'])
  })

  test('replaces all that stands in a field', async () => {
    const { send, keys } = recorder()
    await trustedReplace(send, 'new')
    expect(keys).toEqual(['rawKeyDown a 2', 'keyUp a 2', 'insert new'])
  })

  test('reads combinations, a plus as the key among them', () => {
    expect(parseCombination('Control++')).toMatchObject({ key: { key: '+' }, modifiers: ['Control'] })
    expect(parseCombination('+')).toMatchObject({ key: { key: '+' }, modifiers: [] })
    expect(parseCombination('F12').key.keyCode).toBe(123)
    expect(parseCombination('ä').key).toMatchObject({ key: 'ä', text: 'ä' })
    expect(() => parseCombination('Enterr')).toThrow('"Enterr" is no key')
    expect(() => parseCombination('Hyper+a')).toThrow('"Hyper" is no modifier key')
  })
})
