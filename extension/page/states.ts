import { nearest } from './dom.ts'
import { isCheckable, isInput, isSelect, isTextArea } from './field-values.ts'
import type { Role } from './role-table.ts'
import { isEditingHost } from './roles.ts'

/** States of an element, from its markup and its live properties. */

export type Checked = 'true' | 'false' | 'mixed'

const CHECKED_ROLES = new Set([
  'checkbox',
  'menuitemcheckbox',
  'menuitemradio',
  'radio',
  'switch',
  'option',
  'treeitem',
])

/** null where being checked means nothing. */
export function checkedState(element: Element, role: Role): Checked | null {
  if (isCheckable(element) && role !== 'button') {
    if (element.indeterminate) return 'mixed'
    return element.checked ? 'true' : 'false'
  }
  return CHECKED_ROLES.has(role) ? triState(element.getAttribute('aria-checked')) : null
}

const triState = (value: string | null): Checked | null =>
  value === 'true' || value === 'false' || value === 'mixed' ? value : null

export function isDisabled(element: Element): boolean {
  if (element.matches(':disabled')) return true
  return nearest(element, around => around.getAttribute('aria-disabled') === 'true') !== null
}

/** Why a control is disabled, in words; null when it is not. */
export function disabledReason(element: Element): string | null {
  if (element.matches(':disabled')) {
    return element.hasAttribute('disabled') ? 'it is disabled' : 'the group around it is disabled'
  }
  const around = nearest(element, each => each.getAttribute('aria-disabled') === 'true')
  if (!around) return null
  return around === element
    ? 'it is disabled (aria-disabled)'
    : 'what is around it is disabled (aria-disabled)'
}

export function isReadOnly(element: Element): boolean {
  if ((isInput(element) || isTextArea(element)) && element.readOnly) return true
  return element.getAttribute('aria-readonly') === 'true'
}

const isRequired = (element: Element): boolean =>
  ((isInput(element) || isTextArea(element) || isSelect(element)) && element.required) ||
  element.getAttribute('aria-required') === 'true'

function isInvalid(element: Element): boolean {
  const value = element.getAttribute('aria-invalid')
  if (value !== null && value !== 'false' && value !== '') return true
  return element.matches(':user-invalid')
}

function expandedState(element: Element): string | null {
  const details = element.localName === 'summary' ? element.parentElement : null
  if (details?.localName === 'details') return String(details.hasAttribute('open'))
  const value = element.getAttribute('aria-expanded')
  return value === 'true' || value === 'false' ? value : null
}

/** Roles in which being selected is worth telling. */
const SELECTABLE = new Set(['option', 'tab', 'treeitem', 'row', 'gridcell', 'columnheader', 'rowheader'])

function isSelected(element: Element, role: Role): boolean {
  if (!SELECTABLE.has(role)) return false
  if (element.localName === 'option') return (element as HTMLOptionElement).selected
  return element.getAttribute('aria-selected') === 'true'
}

/** The level of a heading, given or by its tag. */
export function headingLevel(element: Element): number {
  const given = Number.parseInt(element.getAttribute('aria-level') ?? '', 10)
  if (given > 0) return given
  const tag = /^h([1-6])$/.exec(element.localName)
  return tag?.[1] ? Number(tag[1]) : 2
}

/** Input types that say more than their role does. */
const TELLING_TYPES = new Set([
  'password',
  'file',
  'date',
  'datetime-local',
  'month',
  'week',
  'time',
  'color',
  'email',
  'tel',
  'url',
])

/** How the segments of dates and times are written as one value. */
const VALUE_FORMS: Record<string, string> = {
  date: 'yyyy-mm-dd',
  'datetime-local': 'yyyy-mm-ddThh:mm',
  month: 'yyyy-mm',
  time: 'hh:mm',
  week: 'yyyy-Www',
}

/** States as words for a snapshot line, in a fixed order. What is usual is left out. */
export function statesOf(element: Element, role: Role): string[] {
  const states: string[] = []
  const add = (holds: boolean, word: string) => holds && states.push(word)
  if (role === 'heading') states.push(`level=${headingLevel(element)}`)
  if (isInput(element) && TELLING_TYPES.has(element.type)) {
    states.push(`type=${element.type}`)
    const form = VALUE_FORMS[element.type]
    if (form && element.value === '') states.push(`form=${form}`)
    for (const limit of form ? (['min', 'max', 'step'] as const) : [])
      add(element[limit] !== '', `${limit}=${element[limit]}`)
  }
  const checked = checkedState(element, role)
  add(checked === 'true', 'checked')
  add(checked === 'mixed', 'checked=mixed')
  const pressed = triState(element.getAttribute('aria-pressed'))
  add(role === 'button' && pressed !== null, `pressed=${pressed}`)
  const expanded = expandedState(element)
  add(expanded !== null, `expanded=${expanded}`)
  add(isSelected(element, role), 'selected')
  const current = element.getAttribute('aria-current')
  add(
    current !== null && current !== 'false' && current !== '',
    current === 'true' ? 'current' : `current=${current}`,
  )
  add(isDisabled(element), 'disabled')
  add(isRequired(element), 'required')
  add(isReadOnly(element), 'readonly')
  add(isInvalid(element), 'invalid')
  return states
}

/** True for what text can be typed into. */
export function isEditable(element: Element, role: Role): boolean {
  if (isInput(element))
    return role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'spinbutton'
  return isTextArea(element) || isEditingHost(element)
}
