import { describe, expect, test } from 'vitest'
import type { TrustedInput } from '../../shared/outside.ts'
import { parseChord } from '../page/keyboard.ts'
import { CaughtDrag } from './caught-drag.ts'
import type { Send } from './debug-attachment.ts'
import { giveInput } from './trusted-input.ts'

function recorder(): { send: Send; sent: string[] } {
  const sent: string[] = []
  // No test looks at what a command returns.
  const send = (async (method: string, params: Record<string, unknown> = {}) => {
    const { type, key, text, button, buttons, clickCount, modifiers, x, y } = params
    if (method === 'Input.dispatchKeyEvent')
      sent.push(`${type} ${key} ${modifiers ?? 0} ${text ?? ''}`.trim())
    if (method === 'Input.insertText') sent.push(`insert ${text}`)
    if (method === 'Input.dispatchMouseEvent')
      sent.push(
        [type, x, y, button, buttons, clickCount, modifiers].filter(each => each !== undefined).join(' '),
      )
    return {}
  }) as Send
  return { send, sent }
}

const given = (send: Send, inputs: readonly TrustedInput[]) => giveInput(send, inputs, new CaughtDrag())

const key = (chord: string) => ({ do: 'key', ...parseChord(chord) }) as const

describe('trusted input', () => {
  test('presses a named key, and writes with a key that writes', async () => {
    const { send, sent } = recorder()
    await given(send, [key('Escape'), key('a'), key('Shift+a')])
    expect(sent).toEqual([
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

  test('writes nothing with Control held, and lets go in the opposite order', async () => {
    const { send, sent } = recorder()
    await given(send, [key('Control+Shift+x')])
    expect(sent).toEqual([
      'rawKeyDown Control 0',
      'rawKeyDown Shift 0',
      'rawKeyDown X 10',
      'keyUp X 10',
      'keyUp Shift 0',
      'keyUp Control 0',
    ])
  })

  test('moves, presses and releases the pointer with the modifiers that are held', async () => {
    const { send, sent } = recorder()
    const held = { at: { x: 5, y: 7 }, button: 'right', count: 2, modifiers: ['Control', 'Shift'] } as const
    await given(send, [
      { do: 'move', at: { x: 5, y: 7 } },
      { do: 'down', ...held, modifiers: [...held.modifiers] },
      { do: 'up', ...held, modifiers: [] },
      { do: 'text', text: '日本' },
    ])
    expect(sent).toEqual([
      'mouseMoved 5 7',
      'mousePressed 5 7 right 2 2 10',
      'mouseReleased 5 7 right 0 2 0',
      'insert 日本',
    ])
  })
})
