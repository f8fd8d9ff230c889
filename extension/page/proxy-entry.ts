import type { Verdict } from '../../shared/values.ts'
import { drainMicrotasks, nextTask } from './clock.ts'
import type { Entry } from './entry.ts'
import { hasEditContext, isTextArea } from './field-values.ts'
import { pressKey } from './key-defaults.ts'
import { parseChord } from './keyboard.ts'
import { paste } from './text-entry.ts'
import { clipboardEvent } from './transfer.ts'
import { trustedKey } from './trusted-typing.ts'

/**
 * Editors such as Monaco draw their text themselves and take keys by a field out of sight, or by an EditContext,
 * which never holds the text. What they have is read by what they copy.
 */

/** Boxes of this many square pixels are for no person to type into. */
const TINY = 400

export function isProxy(element: Element): element is HTMLElement {
  if (hasEditContext(element)) return true
  if (!isTextArea(element)) return false
  const { width, height } = element.getBoundingClientRect()
  return width * height <= TINY || getComputedStyle(element).opacity === '0'
}

export async function proxyEntry(field: HTMLElement, text: string, replace: boolean): Promise<Entry> {
  const before = replace ? '' : ((await copied(field)) ?? '')
  const wanted = before + text
  let taken = false
  return {
    field,
    write: async () => {
      await press(field, replace ? 'Control+a' : 'Control+End')
      if (text !== '') taken = await paste(field, text)
      else taken = await press(field, 'Delete')
    },
    writeTrusted: async outside => {
      await outside.input(trustedKey(replace ? 'Control+a' : 'Control+End'))
      await outside.input(text === '' ? trustedKey('Delete') : { do: 'text', text })
      taken = true
    },
    isFitAgain: () => replace,
    judge: () => judge(field, wanted, taken),
  }
}

async function judge(field: HTMLElement, wanted: string, taken: boolean): Promise<Verdict> {
  const now = await copied(field)
  // An empty editor copies nothing, or an empty line.
  if (now === wanted || (wanted === '' && (now === null || now === '\n'))) return 'confirmed'
  if (now === null) return taken ? 'unconfirmed' : 'failed'
  return 'failed'
}

/** All of the editor's text, as it gives it to the clipboard; null when it gives none. Nothing is put there. */
async function copied(field: HTMLElement): Promise<string | null> {
  await press(field, 'Control+a')
  const event = clipboardEvent('copy')
  field.dispatchEvent(event)
  const text = event.clipboardData?.getData('text/plain') ?? ''
  await press(field, 'Control+End')
  return text === '' ? null : text.replace(/\r\n?/g, '\n')
}

/** @returns whether the page took it */
async function press(field: HTMLElement, chord: string): Promise<boolean> {
  const taken = !(await pressKey(field, parseChord(chord)))
  await drainMicrotasks()
  await nextTask()
  return taken
}
