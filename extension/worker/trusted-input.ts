import { Failure } from '../../shared/failures.ts'
import type { Send } from './debug-attachment.ts'

/** Input as the browser itself makes it, over the debugger: for what events from a script cannot do. */

/** Text in the place of all that stands in the focused field, as an input method would put it there. */
export async function trustedReplace(send: Send, text: string): Promise<void> {
  await asIfFocused(send)
  const selectAll = { key: 'a', code: 'KeyA', windowsVirtualKeyCode: 65, modifiers: MODIFIERS.Control.bit }
  await send('Input.dispatchKeyEvent', { ...selectAll, type: 'rawKeyDown', commands: ['selectAll'] })
  await send('Input.dispatchKeyEvent', { ...selectAll, type: 'keyUp' })
  await send('Input.insertText', { text })
}

/** A key such as `Enter` or a combination such as `Control+a`. Fails with bad_request for an unknown key. */
export async function trustedPress(send: Send, combination: string): Promise<void> {
  const { key, modifiers } = parseCombination(combination)
  await asIfFocused(send)
  const bits = modifiers.reduce((sum, name) => sum + MODIFIERS[name].bit, 0)
  const shared = { modifiers: bits, key: key.key, code: key.code, windowsVirtualKeyCode: key.keyCode }
  // With Control, Alt or Meta held a key writes nothing.
  const text = modifiers.some(name => name !== 'Shift') ? undefined : key.text
  for (const name of modifiers)
    await send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: name, ...codeOf(name) })
  await send('Input.dispatchKeyEvent', {
    ...shared,
    type: text === undefined ? 'rawKeyDown' : 'keyDown',
    ...(text === undefined ? {} : { text, unmodifiedText: text }),
  })
  await send('Input.dispatchKeyEvent', { ...shared, type: 'keyUp' })
  for (const name of [...modifiers].reverse())
    await send('Input.dispatchKeyEvent', { type: 'keyUp', key: name, ...codeOf(name) })
}

/** Moves the pointer to a point of the viewport. */
export async function trustedMove(send: Send, { x, y }: { x: number; y: number }): Promise<void> {
  await asIfFocused(send)
  await send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y })
}

/** A tab in the background takes keys only when it believes that it has the focus. */
const asIfFocused = (send: Send): Promise<object> =>
  send('Emulation.setFocusEmulationEnabled', { enabled: true })

const MODIFIERS = {
  Alt: { bit: 1, code: 'AltLeft', keyCode: 18 },
  Control: { bit: 2, code: 'ControlLeft', keyCode: 17 },
  Meta: { bit: 4, code: 'MetaLeft', keyCode: 91 },
  Shift: { bit: 8, code: 'ShiftLeft', keyCode: 16 },
} as const
type Modifier = keyof typeof MODIFIERS

const codeOf = (name: Modifier): { code: string; windowsVirtualKeyCode: number } => ({
  code: MODIFIERS[name].code,
  windowsVirtualKeyCode: MODIFIERS[name].keyCode,
})

export interface Key {
  key: string
  code: string
  keyCode: number
  /** What the key writes; undefined where it writes nothing. */
  text?: string
}

const NAMED: Record<string, Key> = {
  Enter: { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' },
  Tab: { key: 'Tab', code: 'Tab', keyCode: 9 },
  Escape: { key: 'Escape', code: 'Escape', keyCode: 27 },
  Backspace: { key: 'Backspace', code: 'Backspace', keyCode: 8 },
  Delete: { key: 'Delete', code: 'Delete', keyCode: 46 },
  Space: { key: ' ', code: 'Space', keyCode: 32, text: ' ' },
  Home: { key: 'Home', code: 'Home', keyCode: 36 },
  End: { key: 'End', code: 'End', keyCode: 35 },
  PageUp: { key: 'PageUp', code: 'PageUp', keyCode: 33 },
  PageDown: { key: 'PageDown', code: 'PageDown', keyCode: 34 },
  ArrowLeft: { key: 'ArrowLeft', code: 'ArrowLeft', keyCode: 37 },
  ArrowUp: { key: 'ArrowUp', code: 'ArrowUp', keyCode: 38 },
  ArrowRight: { key: 'ArrowRight', code: 'ArrowRight', keyCode: 39 },
  ArrowDown: { key: 'ArrowDown', code: 'ArrowDown', keyCode: 40 },
  Insert: { key: 'Insert', code: 'Insert', keyCode: 45 },
}

const FUNCTION_KEY = /^F([1-9]|1[0-2])$/

export function parseCombination(combination: string): { key: Key; modifiers: Modifier[] } {
  // The last plus may itself be the key: `Control++`.
  const parts = combination.endsWith('++')
    ? [...combination.slice(0, -2).split('+'), '+']
    : combination === '+'
      ? ['+']
      : combination.split('+')
  const last = parts.pop() ?? ''
  const modifiers = parts.map(part => {
    const name = ALIASES[part.toLowerCase()]
    if (name === undefined) throw new Failure('bad_request', { reason: `"${part}" is no modifier key` })
    return name
  })
  return { key: keyOf(last, modifiers.includes('Shift')), modifiers }
}

const ALIASES: Record<string, Modifier> = {
  alt: 'Alt',
  option: 'Alt',
  control: 'Control',
  ctrl: 'Control',
  meta: 'Meta',
  cmd: 'Meta',
  command: 'Meta',
  shift: 'Shift',
}

function keyOf(name: string, shift: boolean): Key {
  const named = NAMED[name]
  if (named !== undefined) return named
  const number = FUNCTION_KEY.exec(name)?.[1]
  if (number !== undefined) return { key: name, code: name, keyCode: 111 + Number(number) }
  if ([...name].length !== 1) throw new Failure('bad_request', { reason: `"${name}" is no key` })
  const text = shift ? name.toUpperCase() : name
  const upper = name.toUpperCase()
  if (/^[A-Z]$/.test(upper)) return { key: text, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text }
  if (/^\d$/.test(name)) return { key: name, code: `Digit${name}`, keyCode: name.charCodeAt(0), text: name }
  return { key: name, code: '', keyCode: 0, text: name }
}
