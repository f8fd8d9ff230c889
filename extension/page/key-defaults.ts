import { drainMicrotasks, nextTask } from './clock.ts'
import { focusedElement, isMatch, pageElement, rootOf } from './dom.ts'
import { isInput, isSelect, isTextArea } from './field-values.ts'
import { moveFocus } from './focus.ts'
import { type Chord, fireKey } from './keyboard.ts'
import { isDisclosure, isEditingHost } from './roles.ts'
import { moveBy } from './stepping.ts'
import { nextInTabOrder } from './tab-order.ts'
import { breakParagraph, type Field, insert, remove, selectAll, tellChange } from './text-entry.ts'

/** What a browser does by itself when a key is pressed. Events of scripts set off none of it. */

/**
 * Sends a key with its events and does what the browser would do, unless the page prevents it. The focus may
 * move in between, as it does for a person.
 *
 * @param enter what the Enter key does; by default what it does in the browser
 * @returns false when the page prevented the default
 */
export async function pressKey(at: Element, chord: Chord, enter = onEnter): Promise<boolean> {
  const plain = !chord.ctrl && !chord.alt && !chord.meta
  let goesOn = fireKey(at, 'keydown', chord)
  await drainMicrotasks()
  const target = focusedElement() ?? (at.isConnected ? at : pageElement())
  if (goesOn && plain && chord.text !== '') goesOn = fireKey(target, 'keypress', chord)
  if (goesOn) onDown(target, chord, plain, enter)
  await drainMicrotasks()
  await nextTask()
  const end = focusedElement() ?? (target.isConnected ? target : pageElement())
  const released = fireKey(end, 'keyup', chord)
  if (goesOn && released && plain && chord.key === ' ' && isPressedBySpace(end)) activate(end)
  return goesOn
}

function onDown(target: Element, chord: Chord, plain: boolean, enter: typeof onEnter): void {
  const selects = (chord.ctrl || chord.meta) && chord.key.toLowerCase() === 'a'
  if (selects) selectEverything(target)
  else if (plain) onPlainDown(target, chord, enter)
}

function onPlainDown(target: Element, chord: Chord, enter: typeof onEnter): void {
  const field = isTextField(target) ? target : null
  if (chord.key === 'Tab') moveFocus(nextInTabOrder(focusedElement(), chord.shift))
  else if (chord.key === 'Enter') enter(target)
  else if (chord.key === 'Escape') closeTopmost()
  else if (chord.key === 'Backspace' || chord.key === 'Delete') {
    if (field) remove(field, chord.key === 'Backspace' ? 'delete' : 'forwardDelete')
  } else if (chord.text === '') moveBy(target, chord)
  else if (field) insert(field, chord.text, 'insertText')
  else if (chord.key === ' ' && target === pageElement()) moveBy(target, { ...chord, key: 'PageDown' })
}

const NOT_TEXT = new Set('button checkbox color file hidden image radio range reset submit'.split(' '))

export const isTextField = (element: Element): element is Field & HTMLElement =>
  isTextArea(element) || isEditingHost(element) || (isInput(element) && !NOT_TEXT.has(element.type))

function selectEverything(target: Element): void {
  if (isTextField(target)) selectAll(target)
  else document.execCommand('selectAll')
}

const BUTTON_TYPES = new Set(['button', 'submit', 'reset', 'image', 'color', 'file'])

function isButtonLike(element: Element): boolean {
  if (isInput(element)) return BUTTON_TYPES.has(element.type)
  return element.localName === 'button' || isDisclosure(element)
}

const isPressedBySpace = (element: Element): boolean =>
  isButtonLike(element) || (isInput(element) && (element.type === 'checkbox' || element.type === 'radio'))

function onEnter(target: Element): void {
  if (isTextArea(target)) insert(target, '\n', 'insertLineBreak')
  else if (isEditingHost(target)) breakParagraph(target as HTMLElement)
  else if (isButtonLike(target) || isLink(target)) activate(target)
  else if (isInput(target)) submitBy(target)
}

const isLink = (element: Element): boolean => isMatch(element, 'a[href], area[href]')

/** A click without a pointer, dispatched once. */
function activate(element: Element): void {
  if (element instanceof HTMLElement) element.click()
  else
    element.dispatchEvent(
      new MouseEvent('click', { bubbles: true, cancelable: true, composed: true, view: window }),
    )
}

/** Inputs of which a form may have one only, to be submitted by Enter without a submit button. */
const BLOCKING = 'text search tel url email password date month week time datetime-local number'.split(' ')

/** Implicit submission: by the form's default button, or without any in forms of one field. */
export function submitBy(field: Element): void {
  if (isSelect(field) || isTextArea(field) || isInput(field)) tellChange(field)
  const form = (field as HTMLInputElement).form ?? field.closest('form')
  if (!form) return
  const button = [
    ...rootOf(form).querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input'),
  ].find(each => each.form === form && (each.type === 'submit' || each.type === 'image'))
  if (button) {
    if (!button.matches(':disabled')) button.click()
    return
  }
  const fields = [...form.elements].filter(each => isInput(each) && BLOCKING.includes(each.type))
  if (fields.length <= 1 || isTextArea(field)) form.requestSubmit()
}

/** Closes the topmost popover or dialog that the browser itself would close. */
function closeTopmost(): void {
  const popovers = document.querySelectorAll<HTMLElement>('[popover]:popover-open')
  const popover = popovers[popovers.length - 1]
  if (popover && popover.popover !== 'manual') {
    popover.hidePopover()
    return
  }
  const dialogs = document.querySelectorAll<HTMLDialogElement>('dialog:modal')
  const dialog = dialogs[dialogs.length - 1]
  if (dialog?.dispatchEvent(new Event('cancel', { cancelable: true }))) dialog.close()
}
