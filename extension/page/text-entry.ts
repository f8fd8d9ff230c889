import { drainMicrotasks, nextTask } from './clock.ts'
import { focusedElement } from './dom.ts'
import { editorText } from './editor-text.ts'
import { IS_FIREFOX } from './engine.ts'
import { isInput, isTextArea, type TextControl } from './field-values.ts'
import { fireKey, keyOf } from './keyboard.ts'
import { clipboardEvent } from './transfer.ts'
import { changeWithin } from './watch.ts'

/** Putting text into a focused field in the way in which a keyboard or an input method does. */

export type Field = TextControl | HTMLElement

export const isControl = (field: Field): field is TextControl => isInput(field) || isTextArea(field)

export const textOf = (field: Field): string => (isControl(field) ? field.value : editorText(field))

/** Texts up to this length are typed key by key, so that listeners to keys get them; longer ones come at once. */
const MAX_KEYED = 120

const CJK =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uffef]$/u

type Piece = { kind: 'key' | 'composed' | 'inserted' | 'break'; text: string }

/**
 * Types a text at the caret.
 *
 * @returns false when the page itself kept some of it out (by preventing keydown or beforeinput)
 */
export async function typeText(field: Field, text: string): Promise<boolean> {
  let accepted = true
  for (const piece of piecesOf(text)) {
    accepted = (await typePiece(field, piece)) && accepted
    // State that a page derives from one key is there before the next.
    await drainMicrotasks()
    await nextTask()
  }
  return accepted
}

/** Keys for single characters, one composition for a run of CJK, plain insertion for what no keyboard has. */
function piecesOf(text: string): Piece[] {
  if (text.length > MAX_KEYED) return linesOf(text)
  const pieces: Piece[] = []
  for (const grapheme of graphemesOf(text)) {
    const kind = kindOf(grapheme)
    const last = pieces.at(-1)
    if (kind === 'composed' && last?.kind === 'composed') last.text += grapheme
    else pieces.push({ kind, text: grapheme })
  }
  return pieces
}

/** What a person takes for one character each. */
export const graphemesOf = (text: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)].map(each => each.segment)

function linesOf(text: string): Piece[] {
  return text.split('\n').flatMap((line, at): Piece[] => {
    const pieces: Piece[] = at > 0 ? [{ kind: 'break', text: '\n' }] : []
    if (line !== '') pieces.push({ kind: 'inserted', text: line })
    return pieces
  })
}

/** Whether a text begins with what an input method brings. */
export const isComposed = (text: string): boolean => kindOf(graphemesOf(text)[0] ?? '') === 'composed'

/** How a character comes from a keyboard or an input method. */
export function kindOf(grapheme: string): Piece['kind'] {
  if (grapheme === '\n') return 'break'
  if (CJK.test(grapheme)) return 'composed'
  return [...grapheme].length === 1 && /^[\p{L}\p{N}\p{P}\p{Zs}\p{Sm}\p{Sc}\p{Sk}]$/u.test(grapheme)
    ? 'key'
    : 'inserted'
}

async function typePiece(field: Field, piece: Piece): Promise<boolean> {
  switch (piece.kind) {
    case 'key':
      return typeKey(field, piece.text)
    case 'composed':
      return compose(field, piece.text)
    case 'break':
      return breakLine(field)
    case 'inserted':
      return insert(field, piece.text, 'insertText')
  }
}

function typeKey(field: Field, character: string): boolean {
  const key = keyOf(character)
  const accepted = fireKey(field, 'keydown', key) && fireKey(field, 'keypress', key)
  const inserted = accepted && insert(field, character, 'insertText')
  fireKey(field, 'keyup', key)
  return inserted
}

/** What an input method sends while it holds the keys. */
const PROCESS_KEY = { key: 'Process', code: '', keyCode: 229, text: '' }

function compose(field: Field, text: string): boolean {
  fireKey(field, 'keydown', PROCESS_KEY)
  fireComposition(field, 'compositionstart', '')
  fireComposition(field, 'compositionupdate', text)
  const inserted = insert(field, text, 'insertCompositionText')
  fireComposition(field, 'compositionend', text)
  fireKey(field, 'keyup', PROCESS_KEY)
  return inserted
}

function fireComposition(field: Field, type: string, data: string): void {
  field.dispatchEvent(
    new CompositionEvent(type, { data, bubbles: true, cancelable: true, composed: true, view: window }),
  )
}

/** A line break without the Enter key, which in many places sends what was typed so far. */
function breakLine(field: Field): boolean {
  if (isInput(field)) return false
  if (isTextArea(field)) return insert(field, '\n', 'insertLineBreak')
  if (!allows(field, 'insertLineBreak', null)) return false
  return document.execCommand('insertLineBreak') || document.execCommand('insertText', false, '\n')
}

/** A new paragraph, as the Enter key makes it in editors. */
export function breakParagraph(field: Field): boolean {
  return allows(field, 'insertParagraph', null) && document.execCommand('insertParagraph')
}

/**
 * Inserts at the caret by the browser's own editing, which keeps undo, limits of length and `change` right.
 *
 * @returns false when the page kept it out
 */
export function insert(field: Field, text: string, inputType: string): boolean {
  if (!allows(field, inputType, text)) return false
  if (inputType === 'insertText' && !allowsOldWay(field, text)) return false
  if (focusedElement() === field) document.execCommand('insertText', false, text)
  edited.add(field)
  return true
}

/** Fields that were typed into and have not told it by `change` yet. */
const edited = new WeakSet<Field>()

/**
 * Pastes lines into an editor in the way that brings all of them, where there are several: some editors drop empty
 * lines of plain text, and keep them as paragraphs. None of it is the Enter key, which in many places sends.
 *
 * @returns whether the page took them
 */
export async function pasteLines(
  field: Field,
  text: string,
  { wanted, replace }: { wanted: string; replace: boolean },
): Promise<boolean> {
  const lines = text.split('\n').map(escaped)
  const ways = [null, paragraphs(lines, ''), paragraphs(lines, '<br>')]
  for (const html of replace ? ways : ways.slice(0, 1)) {
    if (replace) selectAll(field)
    const before = textOf(field)
    const taken = await offer(field, text, html)
    if (taken === 'no') return html !== null
    await arrival(field, { before, text, ms: taken === 'yes' ? ARRIVES_MS : ARRIVES_LATE_MS })
    if (textOf(field) === wanted) return true
  }
  return true
}

/** How long an editor may take to bring in what it took, before it is taken for one that drops it. */
const ARRIVES_MS = 300
/** By a timer, which comes once a second in a hidden tab. */
const ARRIVES_LATE_MS = 1200

/** Editors that bring it in later are waited for: what came after a second paste would stand there twice. */
async function arrival(field: Field, { before, text, ms }: { before: string; text: string; ms: number }) {
  const last = text.trimEnd().split('\n').at(-1) ?? ''
  const isThere = (): boolean => textOf(field) !== before && textOf(field).includes(last)
  const end = Date.now() + ms
  const { signal } = new AbortController()
  for (let left = ms; !isThere() && left > 0; left = end - Date.now()) await changeWithin(left, signal)
}

const paragraphs = (lines: readonly string[], empty: string): string =>
  lines.map(line => `<p>${line === '' ? empty : line}</p>`).join('')

const escaped = (line: string): string =>
  line.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/ {2}/g, ' &nbsp;')

/** @returns whether the page took it */
export async function paste(field: Field, text: string): Promise<boolean> {
  return (await offer(field, text, null)) === 'yes'
}

/**
 * Some editors do not keep the browser from pasting, but have it paste elsewhere: what they then bring in comes later.
 */
async function offer(field: Field, text: string, html: string | null): Promise<'yes' | 'later' | 'no'> {
  await selectionHeard()
  const observer = new MutationObserver(() => undefined)
  observer.observe(field, { subtree: true, childList: true })
  const taken = !field.dispatchEvent(clipboardEvent('paste', { text, html }))
  const prepares = observer.takeRecords().length > 0
  observer.disconnect()
  await drainMicrotasks()
  await nextTask()
  if (taken) return 'yes'
  return prepares ? 'later' : 'no'
}

/** What the Enter key does first: it tells the change that otherwise is told when the focus leaves. */
export function tellChange(field: Field): void {
  if (!edited.delete(field)) return
  field.dispatchEvent(new Event('change', { bubbles: true }))
}

/** The browser sends beforeinput only for what a person types. */
function allows(field: Field, inputType: string, data: string | null): boolean {
  return field.dispatchEvent(
    new InputEvent('beforeinput', {
      inputType,
      data,
      bubbles: true,
      cancelable: true,
      composed: true,
      view: window,
    }),
  )
}

/**
 * Chromium sends textInput besides, for text that a person types. Editors that are built on React's onBeforeInput hear
 * of nothing else, and lose themselves in text that came unheard.
 */
function allowsOldWay(field: Field, data: string): boolean {
  if (IS_FIREFOX) return true
  const event = document.createEvent('TextEvent')
  event.initTextEvent('textInput', true, true, window, data)
  return field.dispatchEvent(event)
}

/** Deletes what is selected, or one character before or after the caret. */
export function remove(field: Field, command: 'delete' | 'forwardDelete'): boolean {
  const inputType = command === 'delete' ? 'deleteContentBackward' : 'deleteContentForward'
  if (!allows(field, inputType, null)) return false
  edited.add(field)
  return document.execCommand(command)
}

/** Editors hear of a selection that was just made in a task of its own. */
export async function selectionHeard(): Promise<void> {
  await nextTask()
  await nextTask()
}

export function selectAll(field: Field): void {
  if (isControl(field)) field.select()
  else document.execCommand('selectAll')
}

/** True when the caret could be put behind the text: some kinds of inputs do not tell their selection. */
export function caretToEnd(field: Field): boolean {
  if (isControl(field)) {
    if (field.selectionEnd === null) return field.value === ''
    field.setSelectionRange(field.value.length, field.value.length)
    return true
  }
  const selection = getSelection()
  selection?.selectAllChildren(field)
  selection?.collapseToEnd()
  return true
}

/** Sets a value as a whole, past the page's own property of that name, with the events that tell it. */
export function setValue(control: TextControl, value: string): void {
  control.value = value
  edited.add(control)
  control.dispatchEvent(
    new InputEvent('input', {
      inputType: 'insertText',
      data: value,
      bubbles: true,
      composed: true,
      view: window,
    }),
  )
}
