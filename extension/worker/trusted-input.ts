import type { TrustedInput } from '../../shared/outside.ts'
import type { CaughtDrag } from './caught-drag.ts'
import type { Send } from './debug-attachment.ts'

type Moving = Extract<TrustedInput, { do: 'move' }>
type Pointing = Extract<TrustedInput, { do: 'down' | 'up' }>
type Keying = Extract<TrustedInput, { do: 'key' }>

/** Input as the browser itself makes it, over the debugger: for what events from a script cannot do. */
export async function giveInput(
  send: Send,
  inputs: readonly TrustedInput[],
  drag: CaughtDrag,
): Promise<void> {
  for (const input of inputs) {
    if (input.do === 'move') await movePointer(send, input)
    else if (input.do === 'key') await pressKey(send, input)
    else if (input.do === 'text') await send('Input.insertText', { text: input.text })
    else if ('button' in input) await pressPointer(send, input)
    else await drag.give(send, input)
  }
}

async function movePointer(send: Send, { at, held = false }: Moving): Promise<void> {
  const button = held ? { button: 'left', buttons: BUTTON_BITS.left } : {}
  await send('Input.dispatchMouseEvent', { type: 'mouseMoved', ...at, ...button })
}

/** A tab in the background takes input only when it believes that it has the focus. */
export const asIfFocused = (send: Send): Promise<object> =>
  send('Emulation.setFocusEmulationEnabled', { enabled: true })

const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const
const MODIFIER_BITS = { Alt: 1, Control: 2, Meta: 4, Shift: 8 } as const

async function pressPointer(send: Send, { at, button, count, modifiers, ...input }: Pointing): Promise<void> {
  await send('Input.dispatchMouseEvent', {
    ...at,
    type: input.do === 'down' ? 'mousePressed' : 'mouseReleased',
    button,
    buttons: input.do === 'down' ? BUTTON_BITS[button] : 0,
    clickCount: count,
    modifiers: modifiers.reduce((sum, name) => sum | MODIFIER_BITS[name], 0),
  })
}

const HELD = [
  { is: 'alt', key: 'Alt', code: 'AltLeft', keyCode: 18 },
  { is: 'ctrl', key: 'Control', code: 'ControlLeft', keyCode: 17 },
  { is: 'meta', key: 'Meta', code: 'MetaLeft', keyCode: 91 },
  { is: 'shift', key: 'Shift', code: 'ShiftLeft', keyCode: 16 },
] as const

/** Modifiers go down before the key and come up after it, in the opposite order. */
async function pressKey(send: Send, input: Keying): Promise<void> {
  const held = HELD.filter(({ is }) => input[is])
  const modifiers = held.reduce((sum, { key }) => sum | MODIFIER_BITS[key], 0)
  const shared = { key: input.key, code: input.code, windowsVirtualKeyCode: input.keyCode, modifiers }
  // With Control, Alt or Meta held a key writes nothing.
  const text = held.some(({ is }) => is !== 'shift') ? '' : input.text
  const commands = (input.ctrl || input.meta) && input.key.toLowerCase() === 'a' ? ['selectAll'] : []
  for (const { key, code, keyCode } of held)
    await send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, code, windowsVirtualKeyCode: keyCode })
  await send('Input.dispatchKeyEvent', {
    ...shared,
    type: text === '' ? 'rawKeyDown' : 'keyDown',
    ...(text === '' ? {} : { text, unmodifiedText: text }),
    ...(commands.length > 0 ? { commands } : {}),
  })
  await send('Input.dispatchKeyEvent', { ...shared, type: 'keyUp' })
  for (const { key, code, keyCode } of [...held].reverse())
    await send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode: keyCode })
}
