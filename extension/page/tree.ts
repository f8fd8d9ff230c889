import { hiddenControlOf, hintOf, isActedOn, shownRole } from './clickable.ts'
import type { Slice } from './clock.ts'
import { flatChildren, focusedElement, isElement, isText } from './dom.ts'
import { fieldValueOf, isInput, isSelect } from './field-values.ts'
import { isInline, nameOf } from './names.ts'
import { isAriaHidden, isInert } from './rendering.ts'
import { type Role, TOLD_BY_NAME, TRANSPARENT, TRANSPARENT_UNNAMED } from './role-table.ts'
import { hasAuthorName } from './roles.ts'
import { statesOf } from './states.ts'
import { cut, quote, tidy, withoutIcons, withoutRefs } from './text.ts'

/** The page as a tree of what a reader would be told: pruned, with text merged. */
export type Item = TextItem | ElementItem

export interface TextItem {
  kind: 'text'
  text: string
}

export interface ElementItem {
  kind: 'element'
  element: Element
  role: Role
  /** As it is shown: '' where there is none, and where the children tell it. */
  name: string
  /** The whole name of what acts, by which it is known again. */
  fullName: string
  states: string[]
  /** null where it has none. */
  value: string | null
  /** It gets a ref. */
  acts: boolean
  children: Item[]
}

/** Where the walk is. */
interface Place {
  items: Item[]
  /** The text here is told by a name already: only what acts is listed. */
  quiet: boolean
}

const MAX_TEXT = 200

export const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader'])

/** Roles whose content is listed as children, so that a name made of that content would say it twice. */
const TOLD_BY_CHILDREN = new Set([...CELLS, 'row', 'tooltip'])

/**
 * Walks the rendered tree and yields whenever it has held the page for long enough; what is removed in between
 * is left out.
 */
export class TreeWalk {
  readonly #slice: Slice
  readonly #focused = focusedElement()
  /** Text goes on in the same run until a block begins or ends. */
  #running = false

  constructor(slice: Slice) {
    this.#slice = slice
  }

  /** The element itself and what is below it. */
  *read(root: Element): Generator<void, Item[]> {
    if (isInert(root)) return []
    const items: Item[] = []
    yield* this.#element(root, { items, quiet: false })
    return told(items)
  }

  *#children(element: Element, style: CSSStyleDeclaration, place: Place): Generator<void> {
    for (const child of childrenShown(element, style)) {
      if (isText(child)) this.#text(child, place)
      else if (isElement(child)) yield* this.#element(child, place)
    }
  }

  *#element(element: Element, place: Place): Generator<void> {
    if (this.#slice.over()) yield
    if (isAriaHidden(element) || element.hasAttribute('inert') || !element.isConnected) return
    const style = getComputedStyle(element)
    if (style.display === 'none') return
    const inline = isInline(element, style.display) && element.localName !== 'br'
    if (!inline) this.#running = false
    if (style.visibility === 'visible') yield* this.#visible(element, style, place)
    else yield* this.#invisible(element, style, place)
    if (!inline) this.#running = false
  }

  /** Of something invisible the visible descendants are still there. */
  *#invisible(element: Element, style: CSSStyleDeclaration, place: Place): Generator<void> {
    for (const child of childrenShown(element, style)) {
      if (isElement(child)) yield* this.#element(child, place)
    }
  }

  *#visible(element: Element, style: CSSStyleDeclaration, place: Place): Generator<void> {
    const role = shownRole(element)
    const acts = isActedOn(element, role)
    if (!acts && isPassedOver(element, role, place)) {
      return yield* this.#children(element, style, { ...place, quiet: place.quiet || namesAnother(element) })
    }
    const item = describe(element, role, acts)
    if (element === this.#focused) item.states.push('focused')
    this.#running = false
    if (!isLeaf(element, role)) {
      yield* this.#children(element, style, {
        items: item.children,
        quiet: place.quiet || isToldByName(role),
      })
    }
    this.#running = false
    settle(item)
    if (isWorthTelling(item)) place.items.push(item)
  }

  #text(node: Text, place: Place): void {
    if (place.quiet) return
    const last = place.items.at(-1)
    if (this.#running && last?.kind === 'text') last.text += node.data
    else if (tidy(node.data) !== '') {
      place.items.push({ kind: 'text', text: node.data })
      this.#running = true
    }
  }
}

/** What a closed disclosure or skipped content hides is not there. */
function childrenShown(element: Element, style: CSSStyleDeclaration): readonly Node[] {
  if (element.localName === 'details' && !element.hasAttribute('open')) {
    return [...element.children].filter(child => child.localName === 'summary').slice(0, 1)
  }
  return style.contentVisibility === 'hidden' ? [] : flatChildren(element)
}

/** Its content takes its place. */
function isPassedOver(element: Element, role: Role, place: Place): boolean {
  if (place.quiet || namesAnother(element)) return true
  if (TRANSPARENT.has(role)) return looseLabel(element, role) === ''
  return TRANSPARENT_UNNAMED.has(role) && nameOf(element, role) === ''
}

/** ARIA forbids to name these; authors do it all the same, and it tells something. */
const looseLabel = (element: Element, role: Role): string =>
  role === 'generic' ? tidy(element.getAttribute('aria-label') ?? '') : ''

const CAPTIONED: Record<string, string> = { legend: 'fieldset', caption: 'table', figcaption: 'figure' }

/** Labels and captions, whose words are the name of something else that is listed. */
function namesAnother(element: Element): boolean {
  if (element.localName === 'label') return (element as HTMLLabelElement).control !== null
  const owner = element.parentElement
  if (!owner || CAPTIONED[element.localName] !== owner.localName) return false
  return !owner.hasAttribute('aria-label') && !owner.hasAttribute('aria-labelledby')
}

const LEAVES = new Set([
  'img',
  'iframe',
  'progressbar',
  'meter',
  'math',
  'audio',
  'video',
  'canvas',
  'textbox',
  'searchbox',
])

const isLeaf = (element: Element, role: Role): boolean =>
  LEAVES.has(role) || isInput(element) || isSelect(element)

const isToldByName = (role: Role): boolean =>
  (TOLD_BY_NAME.has(role) || role === 'combobox') && role !== 'clickable'

function describe(element: Element, role: Role, acts: boolean): ElementItem {
  const loose = looseLabel(element, role)
  const control = hiddenControlOf(element) ?? element
  const byChildren = TOLD_BY_CHILDREN.has(role) && !hasAuthorName(element)
  const fullName = loose || (byChildren && !acts ? '' : nameOf(element, role))
  return {
    kind: 'element',
    element,
    role: loose ? 'group' : role,
    name: byChildren ? '' : cut(withoutRefs(tidy(withoutIcons(fullName))), MAX_TEXT),
    fullName,
    states: statesOf(control, role),
    value: fieldValueOf(control, role),
    acts,
    children: [],
  }
}

/** Ends an item whose children are known. */
function settle(item: ElementItem): void {
  item.children = told(item.children)
  const [only] = item.children
  if (item.role === 'clickable' && item.children.length > 0) {
    const textOnly = item.children.every(child => child.kind === 'text')
    if (textOnly) item.children = []
    else if (!hasAuthorName(item.element)) item.name = ''
  }
  if (item.role === 'heading' && item.children.length === 1 && only?.kind === 'element') {
    if (only.name === item.name && only.children.length === 0) item.name = ''
  }
  if (item.acts && item.name === '' && item.children.length === 0) {
    const hint = hintOf(item.element)
    if (hint !== '') item.states.push(`hint=${quote(hint)}`)
  }
}

/** Full stops and bars between links tell nothing. */
const PUNCTUATION = /^[\p{P}|\s]{1,3}$/u

/** Text as it is shown: one line, cut, without what is empty. */
function told(items: Item[]): Item[] {
  return items.flatMap((item): Item[] => {
    if (item.kind === 'element') return [item]
    const text = cut(withoutRefs(tidy(withoutIcons(item.text))), MAX_TEXT)
    const separates = items.length > 1 && PUNCTUATION.test(text)
    return text === '' || separates ? [] : [{ kind: 'text', text }]
  })
}

function isWorthTelling(item: ElementItem): boolean {
  if (item.acts || item.children.length > 0 || CELLS.has(item.role)) return true
  return item.role !== 'separator' && (item.name !== '' || Boolean(item.value))
}
