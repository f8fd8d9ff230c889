import { PageFailure } from './failure.ts'

/** Keys by the names of KeyboardEvent.key, and their events. */

export interface Key {
  key: string
  code: string
  keyCode: number
  /** What the key types; '' for keys that type nothing. */
  text: string
}

export interface Chord extends Key {
  ctrl: boolean
  alt: boolean
  shift: boolean
  meta: boolean
}

const NAMED: Record<string, [code: string, keyCode: number, text?: string]> = {
  Backspace: ['Backspace', 8],
  Tab: ['Tab', 9],
  Enter: ['Enter', 13, '\r'],
  Escape: ['Escape', 27],
  Space: ['Space', 32, ' '],
  PageUp: ['PageUp', 33],
  PageDown: ['PageDown', 34],
  End: ['End', 35],
  Home: ['Home', 36],
  ArrowLeft: ['ArrowLeft', 37],
  ArrowUp: ['ArrowUp', 38],
  ArrowRight: ['ArrowRight', 39],
  ArrowDown: ['ArrowDown', 40],
  Insert: ['Insert', 45],
  Delete: ['Delete', 46],
  ContextMenu: ['ContextMenu', 93],
  Shift: ['ShiftLeft', 16],
  Control: ['ControlLeft', 17],
  Alt: ['AltLeft', 18],
  Meta: ['MetaLeft', 91],
}

/** Names that people use for keys that are called otherwise. */
const ALIASES: Record<string, string> = {
  ' ': 'Space',
  Spacebar: 'Space',
  Esc: 'Escape',
  Return: 'Enter',
  Del: 'Delete',
  Up: 'ArrowUp',
  Down: 'ArrowDown',
  Left: 'ArrowLeft',
  Right: 'ArrowRight',
  Ctrl: 'Control',
  Cmd: 'Meta',
  Command: 'Meta',
  Option: 'Alt',
}

const PUNCTUATION: Record<string, [code: string, keyCode: number]> = {
  ';': ['Semicolon', 186],
  ':': ['Semicolon', 186],
  '=': ['Equal', 187],
  '+': ['Equal', 187],
  ',': ['Comma', 188],
  '<': ['Comma', 188],
  '-': ['Minus', 189],
  _: ['Minus', 189],
  '.': ['Period', 190],
  '>': ['Period', 190],
  '/': ['Slash', 191],
  '?': ['Slash', 191],
  '`': ['Backquote', 192],
  '~': ['Backquote', 192],
  '[': ['BracketLeft', 219],
  '{': ['BracketLeft', 219],
  '\\': ['Backslash', 220],
  '|': ['Backslash', 220],
  ']': ['BracketRight', 221],
  '}': ['BracketRight', 221],
  "'": ['Quote', 222],
  '"': ['Quote', 222],
  '!': ['Digit1', 49],
  '@': ['Digit2', 50],
  '#': ['Digit3', 51],
  $: ['Digit4', 52],
  '%': ['Digit5', 53],
  '^': ['Digit6', 54],
  '&': ['Digit7', 55],
  '*': ['Digit8', 56],
  '(': ['Digit9', 57],
  ')': ['Digit0', 48],
}

/** The key that types a character. Characters of no key of a US keyboard have no code. */
export function keyOf(character: string): Key {
  if (character === '\n') return { key: 'Enter', code: 'Enter', keyCode: 13, text: '\r' }
  if (character === ' ') return { key: ' ', code: 'Space', keyCode: 32, text: ' ' }
  if (/^[a-z]$/i.test(character)) {
    const upper = character.toUpperCase()
    return { key: character, code: `Key${upper}`, keyCode: upper.charCodeAt(0), text: character }
  }
  if (/^\d$/.test(character)) {
    return { key: character, code: `Digit${character}`, keyCode: character.charCodeAt(0), text: character }
  }
  const [code, keyCode] = PUNCTUATION[character] ?? ['', 0]
  return { key: character, code, keyCode, text: character }
}

/** `Control+a`, `Shift+Tab`, `Enter`, `a`. @throws invalid_args */
export function parseChord(text: string): Chord {
  const names = text.length > 1 ? text.split(/\+(?=.)/) : [text]
  const modifiers = { ctrl: false, alt: false, shift: false, meta: false }
  for (const name of names.slice(0, -1)) {
    const modifier = MODIFIERS[ALIASES[name] ?? name]
    if (!modifier) throw invalidKey(text, `${name} is no modifier; those are Control, Alt, Shift, Meta`)
    modifiers[modifier] = true
  }
  const key = namedKey(names.at(-1) ?? '', text)
  const shifted = modifiers.shift && /^[a-z]$/.test(key.key)
  return {
    ...key,
    ...(shifted ? { key: key.key.toUpperCase(), text: key.text.toUpperCase() } : {}),
    ...modifiers,
  }
}

const MODIFIERS: Record<string, 'ctrl' | 'alt' | 'shift' | 'meta'> = {
  Control: 'ctrl',
  ControlOrMeta: 'ctrl',
  Alt: 'alt',
  Shift: 'shift',
  Meta: 'meta',
}

function namedKey(name: string, whole: string): Key {
  const proper = ALIASES[name] ?? name
  const named = NAMED[proper]
  if (named)
    return { key: proper === 'Space' ? ' ' : proper, code: named[0], keyCode: named[1], text: named[2] ?? '' }
  const fKey = /^F(\d{1,2})$/.exec(proper)
  if (fKey?.[1] && Number(fKey[1]) <= 24) {
    return { key: proper, code: proper, keyCode: 111 + Number(fKey[1]), text: '' }
  }
  if ([...proper].length === 1) return keyOf(proper)
  throw invalidKey(
    whole,
    `"${name}" is no key; keys are named as in KeyboardEvent.key: Enter, Tab, ArrowDown, a`,
  )
}

const invalidKey = (key: string, problem: string): PageFailure =>
  PageFailure.of('invalid_args', { operation: 'browser', problems: [`key ${key}: ${problem}`] })

type KeyEventType = 'keydown' | 'keypress' | 'keyup'

/** @returns false when the page prevented the default */
export function fireKey(element: Element, type: KeyEventType, key: Key | Chord): boolean {
  const chord = { ctrl: false, alt: false, shift: false, meta: false, ...key }
  const charCode = type === 'keypress' ? (key.text.codePointAt(0) ?? 0) : 0
  return element.dispatchEvent(
    new KeyboardEvent(type, {
      key: key.key,
      code: key.code,
      location: /^(Shift|Control|Alt|Meta)Left$/.test(key.code) ? 1 : 0,
      keyCode: type === 'keypress' ? charCode : key.keyCode,
      charCode,
      ctrlKey: chord.ctrl,
      altKey: chord.alt,
      shiftKey: chord.shift,
      metaKey: chord.meta,
      bubbles: true,
      cancelable: true,
      composed: true,
      view: window,
    }),
  )
}
