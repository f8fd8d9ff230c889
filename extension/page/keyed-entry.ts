import { drainMicrotasks, nextTask } from './clock.ts'
import { elementsIn, focusedElement } from './dom.ts'
import type { Entry } from './entry.ts'
import { isInput, isTextArea } from './field-values.ts'
import { focusableAt } from './focus.ts'
import { pressKey } from './key-defaults.ts'
import { keyOf } from './keyboard.ts'
import { graphemesOf, isControl, kindOf, textOf, typeText } from './text-entry.ts'
import { keysAsInput } from './trusted-typing.ts'

const NO_MODIFIERS = { ctrl: false, alt: false, shift: false, meta: false }

/**
 * Text as keys, each pressed and released, for what acts on keys itself: lists with type-ahead, terminals, games.
 * Nothing is cleared before. It is judged by what the page did, since there may be no text to read back.
 */
export function keyedEntry(given: Element, text: string): Entry {
  const field = receiverOf(given)
  const before = readable(field)
  const graphemes = graphemesOf(text)
  return {
    field,
    write: async () => {
      for (const grapheme of graphemes) {
        await pressOne(focusedElement() ?? field, grapheme)
        await drainMicrotasks()
        await nextTask()
      }
    },
    writeTrusted: outside => outside.input(...keysAsInput(graphemes)),
    isFitAgain: () => false,
    judge: effects => {
      const now = readable(field)
      const isThere = text !== '' && now !== before && (now ?? '').includes(text)
      return isThere || effects.length > 0 ? 'confirmed' : 'unconfirmed'
    },
  }
}

/** Terminals and the like keep a field out of sight that takes their keys. */
function receiverOf(given: Element): HTMLElement {
  const inside = elementsIn(given).filter(each => isTextArea(each) || isInput(each))
  const [only] = inside
  if (only && inside.length === 1) return only as HTMLElement
  return (focusableAt(given) ?? given) as HTMLElement
}

const readable = (field: HTMLElement): string | null =>
  isControl(field) || field.isContentEditable ? textOf(field) : null

async function pressOne(at: Element, grapheme: string): Promise<void> {
  const kind = kindOf(grapheme)
  if (kind === 'key' || kind === 'break') await pressKey(at, { ...keyOf(grapheme), ...NO_MODIFIERS })
  else await typeText(at as HTMLElement, grapheme)
}
