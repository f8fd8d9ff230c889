import { isHtml, related } from './dom.ts'
import { isEditingHost } from './roles.ts'
import { tidy } from './text.ts'

/** What stands in for the value of a field whose value nobody may see. */
export const FILLED = '[filled]'

const SECRET_TYPES = /password/i

/** Passwords, also those that a page shows in the clear or masks by style. */
export function isSecret(element: Element): boolean {
  if (!isHtml(element) || !['input', 'textarea'].includes(element.localName)) return false
  if (element.localName === 'input' && (element as HTMLInputElement).type === 'password') return true
  if (SECRET_TYPES.test(element.getAttribute('autocomplete') ?? '')) return true
  const masking = getComputedStyle(element).getPropertyValue('-webkit-text-security')
  return masking !== '' && masking !== 'none'
}

/** Inputs that stand for something else than the text in them. */
const WITHOUT_TEXT = new Set(['button', 'checkbox', 'image', 'radio', 'reset', 'submit', 'hidden'])

export type TextControl = HTMLInputElement | HTMLTextAreaElement

export const isInput = (element: Element): element is HTMLInputElement =>
  isHtml(element) && element.localName === 'input'
export const isTextArea = (element: Element): element is HTMLTextAreaElement =>
  isHtml(element) && element.localName === 'textarea'
export const isSelect = (element: Element): element is HTMLSelectElement =>
  isHtml(element) && element.localName === 'select'
export const isFormField = (element: Element): boolean =>
  isInput(element) || isTextArea(element) || isSelect(element)
/** An element whose text a script keeps; Chromium alone has it. */
export const hasEditContext = (element: Element): element is HTMLElement =>
  isHtml(element) && Boolean((element as { editContext?: object | null }).editContext)
export const isCheckable = (element: Element): element is HTMLInputElement =>
  isInput(element) && (element.type === 'checkbox' || element.type === 'radio')

/** The value that an element has for a reader; null where it has none. Secrets come as `[filled]` or ''. */
export function fieldValueOf(element: Element, role: string): string | null {
  const raw = rawValueOf(element, role)
  return raw && isSecret(element) ? FILLED : raw
}

/** For comparing only: it shows secrets. */
export function rawValueOf(element: Element, role: string): string | null {
  if (isInput(element)) return inputValue(element)
  if (isTextArea(element)) return element.value
  if (isSelect(element)) return [...element.selectedOptions].map(option => tidy(option.label)).join(', ')
  if (element.localName === 'meter' || element.localName === 'progress') return gauge(element)
  if (isEditingHost(element)) return editableText(element as HTMLElement)
  return ariaValue(element, role)
}

function inputValue(input: HTMLInputElement): string | null {
  if (WITHOUT_TEXT.has(input.type)) return null
  if (input.type === 'file') return [...(input.files ?? [])].map(file => file.name).join(', ')
  return input.value
}

function gauge(element: Element): string | null {
  if (element.localName === 'progress' && !element.hasAttribute('value')) return null
  return String((element as HTMLProgressElement | HTMLMeterElement).value)
}

/** Text of an editor as it was typed: a line break for each line. */
export const editableText = (element: HTMLElement): string =>
  element.innerText
    .replace(/\u00a0/g, ' ')
    .replace(/[\u200b\ufeff]/g, '')
    .replace(/\n$/, '')

const RANGES = new Set(['slider', 'spinbutton', 'scrollbar', 'progressbar', 'meter'])

function ariaValue(element: Element, role: string): string | null {
  if (RANGES.has(role)) return element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow')
  if (role === 'textbox' || role === 'searchbox') return tidy(element.textContent)
  if (role === 'combobox') return comboboxValue(element)
  return role === 'listbox' ? chosenOptions(element) : null
}

function comboboxValue(element: Element): string {
  const input = element.querySelector('input')
  if (input) return input.value
  return chosenOptions(element) ?? tidy(element.textContent)
}

/** Of a list inside, or of one elsewhere that belongs to the element. */
function chosenOptions(element: Element): string | null {
  const lists = [element, ...related(element, 'owns'), ...related(element, 'controls')]
  const chosen = lists.flatMap(list => [...list.querySelectorAll('[role=option][aria-selected="true" i]')])
  return chosen.length > 0 ? chosen.map(option => tidy(option.textContent)).join(', ') : null
}
