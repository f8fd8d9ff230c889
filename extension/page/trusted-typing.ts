import type { TrustedInput } from '../../shared/outside.ts'
import { keyOf, parseChord } from './keyboard.ts'
import type { Outside } from './outside.ts'
import { caretToEnd, type Field, isControl, kindOf, pasteLines, textOf } from './text-entry.ts'

/** Typing with the browser's own keyboard into the field that has the focus. */

export const trustedKey = (chord: string): TrustedInput => ({ do: 'key', ...parseChord(chord) })

export async function writeTrusted(
  field: Field,
  { text, wanted, replace }: { text: string; wanted: string; replace: boolean },
  outside: Outside,
): Promise<void> {
  if (!replace) caretToEnd(field)
  const isPasted =
    !isControl(field) && text.includes('\n') && (await pasteLines(field, text, { wanted, replace }))
  if (isPasted) return
  if (replace) await outside.input(trustedKey('Control+a'))
  else if (!caretToEnd(field)) await outside.input(trustedKey('End'))
  if (text !== '') await outside.input(...linesAsInput(field, text))
  else if (replace && textOf(field) !== '') await outside.input(trustedKey('Delete'))
}

/** Controls take line breaks as text; in editors Shift spares what Enter alone sends in many places. */
function linesAsInput(field: Field, text: string): TrustedInput[] {
  if (isControl(field)) return [{ do: 'text', text }]
  return text.split('\n').flatMap((line, at): TrustedInput[] => {
    const begin: TrustedInput[] = at > 0 ? [trustedKey('Shift+Enter')] : []
    return line === '' ? begin : [...begin, { do: 'text', text: line }]
  })
}

const NO_MODIFIERS = { ctrl: false, alt: false, shift: false, meta: false }

/** Each character as its key; what no keyboard has comes as text. */
export function keysAsInput(graphemes: readonly string[]): TrustedInput[] {
  return graphemes.map(grapheme => {
    const kind = kindOf(grapheme)
    const isKey = kind === 'key' || kind === 'break'
    return isKey ? { do: 'key', ...keyOf(grapheme), ...NO_MODIFIERS } : { do: 'text', text: grapheme }
  })
}
