import { isHtml, isMatch, markupParent, related, tagOf } from './dom.ts'
import { hasContext, listAround } from './role-context.ts'
import { ARIA_ROLES, GLOBAL_ATTRIBUTES, type Role, SYNONYMS } from './role-table.ts'

/** The role of an element by HTML-AAM and SVG-AAM, or the one that its author gave it. */
export function roleOf(element: Element): Role {
  const role = ownRole(element)
  return (role === 'generic' || role === 'none') && isMoreThanGeneric(element) ? 'group' : role
}

function ownRole(element: Element): Role {
  const given = rolesGiven(element).find(role => hasContext(element, role, claimedRole)) ?? null
  if (given === 'none' && resistsPresentation(element)) return nativeRole(element)
  return given ?? (isPresentedAway(element) ? 'none' : nativeRole(element))
}

/** The role that the element has by itself, whatever is around it: that of its author, or of its kind. */
export const claimedRole = (element: Element): Role => givenRole(element) ?? nativeRole(element)

/** The first valid role that the author gave. */
export const givenRole = (element: Element): Role | null => rolesGiven(element)[0] ?? null

/** The valid roles of the attribute; regions and forms are landmarks only when they have a name. */
function rolesGiven(element: Element): Role[] {
  const value = element.getAttribute('role')
  if (value === null) return []
  const roles = value.toLowerCase().split(/[ \t\n\f\r]+/)
  return roles.filter(isRole).flatMap(token => {
    const role = SYNONYMS[token] ?? token
    return (role === 'region' || role === 'form') && !hasAuthorName(element) ? [] : [role]
  })
}

/** HTML-AAM's minimum role: what can be dragged or pops up is no mere box. */
export const isMoreThanGeneric = (element: Element): boolean =>
  isHtml(element) &&
  element.localName !== 'img' &&
  isMatch(element, '[draggable]:not([draggable="false" i]), [popover], [autofocus]')

/** By its own attribute: links and images, which can be dragged anyway, are not meant. */
export const isDraggable = (element: Element): boolean =>
  element.getAttribute('draggable')?.toLowerCase() === 'true'

const isRole = (token: string): boolean => ARIA_ROLES.has(token) || /^(doc|graphics)-[a-z]+$/.test(token)

/** Presentation is refused to what can be focused, or carries a property that every role has. */
function resistsPresentation(element: Element): boolean {
  if (isFocusableByMarkup(element)) return true
  if (GLOBAL_ATTRIBUTES.some(name => element.getAttribute(name)?.trim())) return true
  // What was taken away on purpose is given back by the mere attribute, what was never there by a name only.
  return givenRole(element) === 'none'
    ? Boolean(element.getAttribute('aria-label')?.trim() || element.getAttribute('aria-labelledby')?.trim())
    : isLabelled(element)
}

/** By markup alone, so that it holds for what is hidden too. Disabled controls do not count. */
export function isFocusableByMarkup(element: Element): boolean {
  if (
    element.hasAttribute('tabindex') &&
    !Number.isNaN(Number.parseInt(element.getAttribute('tabindex') ?? '', 10))
  )
    return true
  if (isEditingHost(element)) return true
  if (!isHtml(element)) return element.localName === 'a' && linksSomewhere(element)
  switch (element.localName) {
    case 'a':
    case 'area':
      return element.hasAttribute('href')
    case 'input':
      return (element as HTMLInputElement).type !== 'hidden' && !element.matches(':disabled')
    case 'button':
    case 'select':
    case 'textarea':
      return !element.matches(':disabled')
    case 'summary':
      return isDisclosure(element)
    case 'iframe':
      return true
    case 'audio':
    case 'video':
      return element.hasAttribute('controls')
    default:
      return false
  }
}

/** The element that makes its content editable, not one inside of it. */
export function isEditingHost(element: Element): boolean {
  const value = element.getAttribute('contenteditable')
  return value !== null && ['', 'true', 'plaintext-only'].includes(value.toLowerCase())
}

/** The summary that opens and closes its details. */
export function isDisclosure(element: Element): boolean {
  const parent = element.parentElement
  return tagOf(element) === 'summary' && parent?.localName === 'details' && firstSummary(parent) === element
}

const firstSummary = (details: Element): Element | undefined =>
  [...details.children].find(child => child.localName === 'summary')

const linksSomewhere = (element: Element): boolean =>
  element.hasAttribute('href') || element.hasAttributeNS('http://www.w3.org/1999/xlink', 'href')

/** A name by attributes, as far as that can be told without naming anything else. */
export const hasAuthorName = (element: Element): boolean =>
  isLabelled(element) || Boolean(element.getAttribute('title')?.trim())

function isLabelled(element: Element): boolean {
  if (element.getAttribute('aria-label')?.trim()) return true
  return related(element, 'labelledby').some(
    label => label.textContent.trim() !== '' || label.hasAttribute('aria-label') || label.hasAttribute('alt'),
  )
}

/** Parts that go with their whole: the items of a list and the cells of a table whose role was taken away. */
const WHOLES: Record<string, string> = {
  li: 'ul, ol, menu, dir',
  tr: 'table',
  td: 'table',
  th: 'table',
  thead: 'table',
  tbody: 'table',
  tfoot: 'table',
}

function isPresentedAway(element: Element): boolean {
  const whole = isHtml(element) ? WHOLES[element.localName] : undefined
  if (!whole || resistsPresentation(element)) return false
  const owner = element.localName === 'li' ? listAround(element, claimedRole) : element.closest('table')
  return owner?.matches(whole) === true && givenRole(owner) === 'none' && !resistsPresentation(owner)
}

function nativeRole(element: Element): Role {
  if (!isHtml(element)) return svgRole(element)
  const rule = NATIVE[element.localName]
  return typeof rule === 'function' ? rule(element) : (rule ?? 'generic')
}

function svgRole(element: Element): Role {
  if (element.namespaceURI !== 'http://www.w3.org/2000/svg')
    return element.localName === 'math' ? 'math' : 'generic'
  if (element.localName === 'svg') return 'image'
  if (element.localName === 'a') return linksSomewhere(element) ? 'link' : 'group'
  if (element.localName === 'image') return 'image'
  const named =
    isLabelled(element) ||
    [...element.children].some(child => child.localName === 'title' && child.textContent.trim() !== '')
  if (element.localName === 'g') return named ? 'group' : 'generic'
  return named ? 'image' : 'generic'
}

type Rule = Role | ((element: HTMLElement) => Role)

const linkOrGeneric: Rule = element => (element.hasAttribute('href') ? 'link' : 'generic')

const SECTIONING = 'article, aside, main, nav, section'
const SECTIONING_ROLES = new Set(['article', 'complementary', 'main', 'navigation', 'region'])

/** Inside of sectioning content a header or footer belongs to that, not to the page. */
function isInSection(element: Element): boolean {
  for (let at = markupParent(element); at; at = markupParent(at)) {
    if (isMatch(at, SECTIONING)) return true
    if (SECTIONING_ROLES.has(givenRole(at) ?? '')) return true
  }
  return false
}

function isInSectioningContent(element: Element): boolean {
  for (let at = markupParent(element); at; at = markupParent(at)) {
    if (isMatch(at, 'article, aside, nav, section')) return true
  }
  return false
}

function imageRole(element: HTMLElement): Role {
  const alt = element.getAttribute('alt')
  const decorative = alt !== null ? alt.trim() === '' : !hasPicture(element) && !element.title.trim()
  return decorative && !resistsPresentation(element) ? 'none' : 'image'
}

/** Without an address an image stands for nothing. */
const hasPicture = (element: Element): boolean =>
  Boolean(element.getAttribute('src')?.trim() || element.getAttribute('srcset')?.trim())

const INPUT_ROLES: Record<string, Role> = {
  button: 'button',
  checkbox: 'checkbox',
  file: 'button',
  hidden: 'none',
  image: 'button',
  number: 'spinbutton',
  radio: 'radio',
  range: 'slider',
  reset: 'button',
  submit: 'button',
}
const SUGGESTING_TYPES = new Set(['text', 'search', 'tel', 'url', 'email'])

function inputRole(element: HTMLElement): Role {
  const input = element as HTMLInputElement
  if (SUGGESTING_TYPES.has(input.type) && input.list) return 'combobox'
  if (input.type === 'search') return 'searchbox'
  if (input.type === 'checkbox' && input.hasAttribute('aria-pressed')) return 'button'
  if (input.type === 'checkbox' && input.hasAttribute('switch')) return 'switch'
  return INPUT_ROLES[input.type] ?? 'textbox'
}

const selectRole: Rule = element => {
  const select = element as HTMLSelectElement
  return select.multiple || select.size > 1 ? 'listbox' : 'combobox'
}

/** Parts of a table mean something only where it is exposed as one; null where it is not. */
function tableAround(element: Element): 'table' | 'grid' | null {
  const table = element.closest('table')
  const role = table ? givenRole(table) : null
  if (role === 'grid' || role === 'treegrid') return 'grid'
  const isTable =
    role === null || role === 'table' || (role === 'none' && table && resistsPresentation(table))
  return isTable ? 'table' : null
}

/** Cells of a grid are gridcells. */
function cellRole(element: Element): Role {
  const around = tableAround(element)
  return around === 'grid' ? 'gridcell' : around === 'table' ? 'cell' : 'generic'
}

const tablePart =
  (role: Role): Rule =>
  element =>
    tableAround(element) === null ? 'generic' : role

function headerCellRole(element: HTMLElement): Role {
  if (tableAround(element) === null) return 'generic'
  const scope = element.getAttribute('scope')?.toLowerCase()
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader'
  if (scope === 'col' || scope === 'colgroup') return 'columnheader'
  if (element.closest('thead')) return 'columnheader'
  const row = element.closest('tr')
  const table = element.closest('table')
  if (!row || !table) return 'columnheader'
  const headers = row.querySelectorAll(':scope > th').length
  if (headers === row.cells.length)
    return table.rows.length > 1 || headers > 1 ? 'columnheader' : cellRole(element)
  return row.cells[0] === element || element.previousElementSibling?.localName === 'th'
    ? 'rowheader'
    : 'columnheader'
}

const NATIVE: Record<string, Rule> = {
  a: linkOrGeneric,
  area: linkOrGeneric,
  article: 'article',
  aside: element => (isInSectioningContent(element) && !hasAuthorName(element) ? 'generic' : 'complementary'),
  address: 'group',
  audio: 'none',
  blockquote: 'blockquote',
  button: 'button',
  caption: 'caption',
  code: 'code',
  datalist: 'listbox',
  dd: 'definition',
  del: 'deletion',
  details: 'group',
  dir: 'list',
  dfn: 'term',
  dialog: 'dialog',
  dt: 'term',
  em: 'emphasis',
  fieldset: 'group',
  figure: 'figure',
  footer: element => (isInSection(element) ? 'sectionfooter' : 'contentinfo'),
  form: 'form',
  h1: 'heading',
  h2: 'heading',
  h3: 'heading',
  h4: 'heading',
  h5: 'heading',
  h6: 'heading',
  header: element => (isInSection(element) ? 'sectionheader' : 'banner'),
  hgroup: 'group',
  hr: 'separator',
  html: 'document',
  frame: 'iframe',
  iframe: 'iframe',
  img: imageRole,
  input: inputRole,
  ins: 'insertion',
  li: element => {
    const list = listAround(element, claimedRole)
    return list && claimedRole(list) === 'list' ? 'listitem' : 'generic'
  },
  main: 'main',
  mark: 'mark',
  menu: 'list',
  meter: 'meter',
  nav: 'navigation',
  // It shows a document, or else something that has no role, or what it holds.
  object: element => ((element as HTMLObjectElement).contentWindow === null ? 'generic' : 'iframe'),
  ol: 'list',
  optgroup: 'group',
  option: 'option',
  output: 'status',
  p: 'paragraph',
  progress: 'progressbar',
  s: 'deletion',
  search: 'search',
  section: element => (hasAuthorName(element) ? 'region' : 'generic'),
  select: selectRole,
  strong: 'strong',
  sub: 'subscript',
  summary: element => (isDisclosure(element) ? 'button' : 'generic'),
  sup: 'superscript',
  table: 'table',
  tbody: tablePart('rowgroup'),
  td: cellRole,
  textarea: 'textbox',
  tfoot: tablePart('rowgroup'),
  th: headerCellRole,
  thead: tablePart('rowgroup'),
  time: 'time',
  tr: tablePart('row'),
  ul: 'list',
  video: 'none',
}
