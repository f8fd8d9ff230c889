import { ariaWord, isMatch, nearest } from './dom.ts'
import { isCheckable, isInput, isTextArea } from './field-values.ts'
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
  if (!CHECKED_ROLES.has(role)) return null
  const given = triState(ariaWord(element, 'aria-checked'))
  return given === 'mixed' && !MIXED_ROLES.has(role) ? 'false' : given
}

/** Any other that is said to be mixed is not checked. */
const MIXED_ROLES = new Set(['checkbox', 'menuitemcheckbox', 'option', 'treeitem'])

const triState = (value: string): Checked | null =>
  value === 'true' || value === 'false' || value === 'mixed' ? value : null

export function isDisabled(element: Element): boolean {
  if (isMatch(element, ':disabled')) return true
  return nearest(element, around => ariaWord(around, 'aria-disabled') === 'true') !== null
}

/** Why a control is disabled, in words; null when it is not. */
export function disabledReason(element: Element): string | null {
  if (isMatch(element, ':disabled')) {
    return element.hasAttribute('disabled') ? 'it is disabled' : 'the group around it is disabled'
  }
  const around = nearest(element, each => ariaWord(each, 'aria-disabled') === 'true')
  if (!around) return null
  return around === element
    ? 'it is disabled (aria-disabled)'
    : 'what is around it is disabled (aria-disabled)'
}

/** Of other inputs, such as checkboxes and sliders, the attribute says nothing (HTML). */
const READABLE_TYPES = new Set(
  'text search url tel email password date month week time datetime-local number'.split(' '),
)

export function isReadOnly(element: Element): boolean {
  if (isInput(element) && element.readOnly && READABLE_TYPES.has(element.type)) return true
  if (isTextArea(element) && element.readOnly) return true
  return ariaWord(element, 'aria-readonly') === 'true'
}

const isRequired = (element: Element): boolean =>
  isMatch(element, ':required') || ariaWord(element, 'aria-required') === 'true'

function isInvalid(element: Element): boolean {
  if (!['', 'false'].includes(ariaWord(element, 'aria-invalid'))) return true
  return isMatch(element, ':user-invalid')
}

export function expandedState(element: Element): string | null {
  const details = element.localName === 'summary' ? element.parentElement : null
  if (details?.localName === 'details') return String(details.hasAttribute('open'))
  const value = ariaWord(element, 'aria-expanded')
  if (value === 'true' || value === 'false') return value
  const popover = popoverOf(element)
  return popover ? String(isMatch(popover, ':popover-open')) : null
}

interface Invoker {
  popoverTargetElement?: Element | null
  commandForElement?: Element | null
  command?: string
}

/** What a button opens and closes (HTML: popovertarget, commandfor). */
function popoverOf(element: Element): Element | null {
  const { popoverTargetElement, commandForElement, command } = element as Invoker
  const target = popoverTargetElement ?? (command?.endsWith('-popover') ? commandForElement : null)
  return target?.hasAttribute('popover') ? target : null
}

const POPUPS = new Set(['menu', 'listbox', 'tree', 'grid', 'dialog'])

/** What an element opens, where that is not told by its being open or closed. */
function popupOf(element: Element, role: Role): string | null {
  const word = ariaWord(element, 'aria-haspopup')
  const kind = word === 'true' ? 'menu' : word
  return POPUPS.has(kind) && role !== 'combobox' ? kind : null
}

/** Roles in which being selected is worth telling; days of calendars often have none. */
const SELECTABLE = new Set('option tab treeitem row gridcell columnheader rowheader clickable'.split(' '))

const HEADERS = new Set(['columnheader', 'rowheader'])
const SORTED = new Set(['ascending', 'descending', 'other'])

function isSelected(element: Element, role: Role): boolean {
  if (!SELECTABLE.has(role)) return false
  if (element.localName === 'option') return (element as HTMLOptionElement).selected
  return ariaWord(element, 'aria-selected') === 'true'
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

const CURRENTS = new Set(['page', 'step', 'location', 'date', 'time'])

/** What limits and steps of dates and times are made of; anything else would be text of the page. */
const LIMIT = /^(?:[\d:TW.-]{1,30}|any)$/

/** Levels in trees, whose items may stand side by side in the markup. */
function treeLevel(element: Element): string | null {
  const level = ariaWord(element, 'aria-level')
  return /^[1-9]\d{0,2}$/.test(level) ? level : null
}

const LEVELLED = new Set(['treeitem', 'row'])

/** States as words for a snapshot line, in a fixed order. What is usual is left out. */
export function statesOf(element: Element, role: Role): string[] {
  const states: string[] = []
  const add = (holds: boolean, word: string) => holds && states.push(word)
  if (role === 'heading') states.push(`level=${headingLevel(element)}`)
  const level = LEVELLED.has(role) ? treeLevel(element) : null
  add(level !== null, `level=${level}`)
  if (isInput(element) && TELLING_TYPES.has(element.type)) {
    states.push(`type=${element.type}`)
    const form = VALUE_FORMS[element.type]
    if (form && element.value === '') states.push(`form=${form}`)
    for (const limit of form ? (['min', 'max', 'step'] as const) : [])
      add(LIMIT.test(element[limit]), `${limit}=${element[limit]}`)
  }
  const checked = checkedState(element, role)
  add(checked === 'true', 'checked')
  add(checked === 'mixed', 'checked=mixed')
  const pressed = triState(ariaWord(element, 'aria-pressed'))
  add(role === 'button' && pressed !== null, `pressed=${pressed}`)
  const expanded = expandedState(element)
  const popup = popupOf(element, role)
  if (expanded !== null) states.push(`expanded=${expanded}`)
  else if (popup !== null) states.push(`haspopup=${popup}`)
  add(isSelected(element, role), 'selected')
  const sorted = ariaWord(element, 'aria-sort')
  add(HEADERS.has(role) && SORTED.has(sorted), `sorted=${sorted}`)
  const current = ariaWord(element, 'aria-current')
  // Words that are none of these mean `true` (WAI-ARIA).
  add(!['', 'false'].includes(current), CURRENTS.has(current) ? `current=${current}` : 'current')
  add(isDisabled(element), 'disabled')
  add(isRequired(element), 'required')
  add(isReadOnly(element), 'readonly')
  add(isInvalid(element), 'invalid')
  add(ariaWord(element, 'aria-busy') === 'true', 'busy')
  return states
}

/** True for what text can be typed into. */
export function isEditable(element: Element, role: Role): boolean {
  if (isInput(element))
    return role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'spinbutton'
  return isTextArea(element) || isEditingHost(element)
}
