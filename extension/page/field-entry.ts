import type { DatePart, Verdict } from '../../shared/values.ts'
import { shownRole } from './clickable.ts'
import { drainMicrotasks, nextTask } from './clock.ts'
import { dateEntry, isDateInput } from './date-entry.ts'
import { ancestorsOf, elementsIn } from './dom.ts'
import type { Entry } from './entry.ts'
import { hasEditContext, isInput, isSelect, isTextArea } from './field-values.ts'
import { pressKey } from './key-defaults.ts'
import { parseChord } from './keyboard.ts'
import { isProxy, proxyEntry } from './proxy-entry.ts'
import { notReady } from './readiness.ts'
import { isVisible } from './rendering.ts'
import { isEditingHost } from './roles.ts'
import { areChosen, chooseOptions, usableOption } from './select-entry.ts'
import { bySetting, tellSet } from './setting.ts'
import { isOwnSlider, sliderEntry } from './slider-entry.ts'
import { disabledReason, isReadOnly } from './states.ts'
import {
  caretToEnd,
  type Field,
  isComposed,
  isControl,
  pasteLines,
  remove,
  selectAll,
  selectionHeard,
  setValue,
  textOf,
  typeText,
} from './text-entry.ts'
import { writeTrusted } from './trusted-typing.ts'

/** @throws element_not_ready for what takes no text, element_not_found for an option that a list does not have */
export async function entryFor(
  given: Element,
  text: string,
  replace: boolean,
  words: string,
  part: DatePart | null = null,
): Promise<Entry> {
  const field = fieldOf(given, words)
  const disabled = disabledReason(field)
  if (disabled) throw notReady(words, disabled)
  if (isReadOnly(field)) throw notReady(words, 'it is read-only')
  if (part !== null && !isDateInput(field)) throw notReady(words, 'it is no date or time, and has no parts')
  if (isSelect(field)) return selectEntry(field, text, words)
  if (isOwnSlider(field)) return sliderEntry(field, text, words)
  if (isInput(field)) {
    const refusal = REFUSALS[field.type]
    if (refusal) throw notReady(words, refusal)
    if (isDateInput(field)) return dateEntry(field, text, part, words)
    if (field.type in FORMATS) return wholeEntry(field, text, words)
  }
  return isProxy(field) ? await proxyEntry(field, text, replace) : textEntry(field, text, replace)
}

/** The field that is meant: the control of a label, the editor around a paragraph, the only field in a wrapper. */
function fieldOf(given: Element, words: string): HTMLElement {
  const element = (given.localName === 'label' && (given as HTMLLabelElement).control) || given
  if (takesText(element) || isOwnSlider(element)) return element as HTMLElement
  for (const around of ancestorsOf(element)) if (isEditingHost(around)) return around as HTMLElement
  const inside = elementsIn(element).filter(
    each => takesText(each) && (isVisible(each) || hasEditContext(each)),
  )
  const [only] = inside
  if (only && inside.length === 1) return only as HTMLElement
  const role = shownRole(element)
  if (inside.length > 1) throw notReady(words, `it holds ${inside.length} fields: name one of them`)
  if (role === 'combobox' || role === 'listbox') {
    throw notReady(words, 'it is a list without a text field: click it, then click one of its options')
  }
  throw notReady(words, `it takes no text (its role is ${role})`)
}

const takesText = (element: Element): boolean =>
  isInput(element) ||
  isTextArea(element) ||
  isSelect(element) ||
  isEditingHost(element) ||
  hasEditContext(element)

const REFUSALS: Record<string, string> = {
  checkbox: 'it is a checkbox: click it',
  radio: 'it is a radio button: click it',
  file: 'it takes files, not text',
  button: 'it is a button: click it',
  submit: 'it is a button: click it',
  reset: 'it is a button: click it',
  image: 'it is a button: click it',
  hidden: 'it is a hidden field',
}

/** Inputs whose value is set as a whole, and what a value looks like. */
const FORMATS: Record<string, string> = {
  color: 'a colour such as #1e90ff',
  range: 'a number',
}

function wholeEntry(input: HTMLInputElement, text: string, words: string): Entry {
  const wanted = text.trim()
  const probe = document.createElement('input')
  probe.type = input.type
  probe.value = wanted
  const valid =
    input.type === 'range' ? wanted !== '' && Number.isFinite(Number(wanted)) : sameValue(probe.value, wanted)
  if (!valid && wanted !== '') throw notReady(words, `it takes ${FORMATS[input.type]}, not "${wanted}"`)
  const write = (): void => {
    if (input.value === wanted) return
    input.value = wanted
    tellSet(input)
  }
  return bySetting(input, write, () => (sameValue(input.value, wanted) ? 'confirmed' : 'failed'))
}

/** #FFF000 and #fff000, 5 and 5.0 are the same. */
function sameValue(left: string, right: string): boolean {
  if (left.toLowerCase() === right.toLowerCase()) return true
  if (left === '' || right === '') return false
  return Number(left) === Number(right)
}

function textEntry(field: Field, text: string, replace: boolean): Entry {
  const before = textOf(field)
  const wanted = replace ? text : before + text
  return {
    field,
    write: async () => {
      const atEnd = !replace && caretToEnd(field)
      if (!atEnd) selectAll(field)
      const typed = atEnd ? text : wanted
      if (typed === '') {
        if (before !== '') await empty(field)
        return
      }
      // Editors know lines of their own, and take those of a text from what is pasted.
      if (!isControl(field) && typed.includes('\n') && (await pasteLines(field, typed, { wanted, replace })))
        return
      // An input method that writes over several lines is more than some editors can follow.
      if (!atEnd && !isControl(field) && before.includes('\n') && isComposed(typed)) await empty(field)
      const accepted = await typeText(field, typed)
      if (accepted && wanted !== before && textOf(field) === before && hasRoom(field)) setValue(field, wanted)
    },
    writeTrusted: outside => writeTrusted(field, { text, wanted, replace }, outside),
    isFitAgain: () => replace || textOf(field) === before,
    judge: () => judgeText(field, { wanted, before: replace ? before : '' }),
  }
}

/** An editor that keeps its own model hears of the key that deletes what is selected, rather than of the deletion. */
async function empty(field: Field): Promise<void> {
  if (isControl(field)) {
    remove(field, 'delete')
    return
  }
  await selectionHeard()
  await pressKey(field, parseChord('Delete'))
  await drainMicrotasks()
  await nextTask()
}

/** Editing commands may be off; limits of length are to be kept. */
const hasRoom = (field: Field): field is HTMLInputElement | HTMLTextAreaElement =>
  isControl(field) && (field.maxLength < 0 || field.value.length < field.maxLength)

function judgeText(field: Field, { wanted, before }: { wanted: string; before: string }): Verdict {
  const now = textOf(field)
  if (now === wanted) return 'confirmed'
  // 08 for 8 in a segment of a date.
  if (shownRole(field) === 'spinbutton' && sameValue(now, wanted)) return 'confirmed'
  if (!isControl(field) && lines(now) === lines(wanted)) return 'unconfirmed'
  return isSetOut(now, wanted, before) ? 'unconfirmed' : 'failed'
}

/**
 * A field may set out what it was given in its own way: (123) 456-7890 for 1234567890, +1 before it, or an empty form
 * of lines for nothing.
 */
function isSetOut(now: string, wanted: string, before: string): boolean {
  if (wanted === '') return now !== before && bare(now) === '' && bare(before) !== ''
  if (isNumber(wanted) && numbersIn(now).includes(Number(wanted))) return true
  const [all, part] = [bare(now), bare(wanted)]
  if (part === '') return false
  const isKept = bare(before) !== '' && all.includes(bare(before)) && !part.includes(bare(before))
  return all === part || (part.length >= TELLING_LENGTH && all.includes(part) && !isKept)
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text)

/** What an amount such as €1,234.50 or 1.234,50 € may stand for. */
function numbersIn(text: string): number[] {
  const amount = text.replace(/[^\d.,-]/g, '')
  const readings = [amount.replace(/,/g, ''), amount.replace(/\./g, '').replace(',', '.')]
  return readings.filter(isNumber).map(Number)
}

/** Less than this may be found in any text. */
const TELLING_LENGTH = 4

/** What is left when it is not said how many line breaks lie between two paragraphs. */
const lines = (text: string): string => text.replace(/\s*\n\s*/g, '\n').trim()

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function selectEntry(select: HTMLSelectElement, text: string, words: string): Entry {
  usableOption(select, text, words)
  return bySetting(
    select,
    () => chooseOptions(select, [text], words),
    () => (areChosen(select, [text]) ? 'confirmed' : 'failed'),
  )
}
