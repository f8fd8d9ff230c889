import { hiddenControlOf, hintOf, isActedOn, shownRole } from './clickable.ts'
import type { Slice } from './clock.ts'
import { focusedElement, isElement, isText } from './dom.ts'
import { fieldValueOf, isInput, isSelect } from './field-values.ts'
import { groundColour, type Shape, shapeOf } from './graphics.ts'
import { boxOf, CELLS, type ElementItem, type Extras, type Item, NO_EXTRAS, type TextItem } from './items.ts'
import { isStruck, looksDisabled, markOutstanding } from './looks.ts'
import { nameOf } from './names.ts'
import { childrenShown, isAriaHidden, isInert } from './rendering.ts'
import { type Role, TOLD_BY_NAME, TRANSPARENT, TRANSPARENT_UNNAMED } from './role-table.ts'
import { hasAuthorName, isDraggable, isEditingHost } from './roles.ts'
import { markPlaces } from './screen-places.ts'
import { statesOf } from './states.ts'
import { isInline } from './styled-text.ts'
import { collapsed, cut, quote, tidy, withoutIcons, withoutRefs } from './text.ts'

/** Where the walk is. */
interface Place {
  items: Item[]
  /** The text here is told by a name already: only what acts is listed. */
  quiet: boolean
  /** What lies here is struck through. */
  struck: boolean
}

const MAX_TEXT = 200

/** Roles whose content is listed as children, so that a name made of that content would say it twice. */
const TOLD_BY_CHILDREN = new Set([...CELLS, 'row', 'tooltip'])

/**
 * Walks the rendered tree and yields whenever it has held the page for long enough; what is removed in between
 * is left out.
 */
export class TreeWalk {
  readonly #slice: Slice
  readonly #extras: Extras
  readonly #focused = focusedElement()
  #root: Element | null = null
  /** Text goes on in the same run until a block begins or ends. */
  #run: TextRun | null = null

  constructor(slice: Slice, extras: Extras = NO_EXTRAS) {
    this.#slice = slice
    this.#extras = extras
  }

  /** What the element holds; the element itself too where it means something, and any that was asked for. */
  *read(root: Element | null, isAskedFor = false): Generator<void, Item[]> {
    if (root === null || isInert(root)) return []
    if (isAskedFor) this.#root = root
    const items: Item[] = []
    yield* this.#element(root, { items, quiet: false, struck: false })
    const all = told(items)
    markOutstanding(all.filter(item => item.kind === 'element'))
    yield* markPlaces(all, this.#slice)
    return all
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
    if (!inline) this.#run = null
    const here = place.struck || !isStruck(style) ? place : { ...place, struck: true }
    if (style.visibility === 'visible') yield* this.#visible(element, style, here)
    else yield* this.#invisible(element, style, here)
    if (!inline) this.#run = null
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
    const shape = this.#extras.graphics && !place.quiet ? shapeOf(element, style) : null
    if (!acts && !shape && element !== this.#root && isPassedOver(element, role, place)) {
      return yield* this.#children(element, style, { ...place, quiet: place.quiet || namesAnother(element) })
    }
    const item = this.#describe(element, style, { role, acts, shape, struck: place.struck })
    this.#run = null
    if (!isLeaf(element, role) || (this.#extras.graphics && element.localName === 'svg')) {
      yield* this.#children(element, style, {
        items: item.children,
        quiet: place.quiet || isToldByName(role, this.#extras),
        struck: place.struck,
      })
    }
    this.#run = null
    settle(item)
    if (isWorthTelling(item) || shape || element === this.#root) place.items.push(item)
  }

  #describe(element: Element, style: CSSStyleDeclaration, found: Found): ElementItem {
    const { acts, shape, struck } = found
    const listed = acts || shape !== null || this.#extras.boxes || element === this.#root
    const item = describe(element, found.role, listed, element === this.#root)
    item.shape = shape?.kind ?? null
    if (shape && shape.colour !== '') item.states.push(shape.colour)
    else if (acts && this.#extras.graphics) item.states.push(...groundStates(style))
    if (acts) item.states.push(...looksOf(item, style, struck))
    if (element === this.#focused) item.states.push('focused')
    item.acts = acts || shape !== null || (this.#extras.boxes && item.role === found.role)
    if (this.#extras.boxes || shape) item.box = boxOf(element.getBoundingClientRect())
    return item
  }

  #text(node: Text, place: Place): void {
    if (place.quiet) return
    const run = this.#run
    if (run && run.item.struck === place.struck && place.items.at(-1) === run.item) {
      run.item.text += node.data
      run.last = node
    } else if (tidy(node.data) !== '') {
      const item: TextItem = { kind: 'text', text: node.data, struck: place.struck, carrier: null }
      place.items.push(item)
      this.#run = { item, first: node, last: node }
    }
    if (this.#run && this.#extras.boxes) this.#run.item.carrier = carrierOf(this.#run)
  }
}

interface Found {
  role: Role
  acts: boolean
  shape: Shape | null
  struck: boolean
}

interface TextRun {
  item: TextItem
  first: Text
  last: Text
}

/** What holds the text, with the text's own box: the nearest element around all of it. */
function carrierOf({ first, last }: TextRun): ElementItem | null {
  const range = document.createRange()
  range.setStartBefore(first)
  range.setEndAfter(last)
  const { commonAncestorContainer: around } = range
  const element = isElement(around) ? around : (around as ShadowRoot).host
  if (!element) return null
  const item = describe(element, shownRole(element), true, false)
  return { ...item, name: '', states: [], value: null, acts: true, box: boxOf(range.getBoundingClientRect()) }
}

function looksOf(item: ElementItem, style: CSSStyleDeclaration, struck: boolean): string[] {
  const looks: string[] = []
  if (isDraggable(item.element)) looks.push('draggable')
  if (!item.states.includes('disabled') && looksDisabled(item.element, style)) looks.push('disabled-looking')
  if (struck) looks.push('struck')
  return looks
}

function groundStates(style: CSSStyleDeclaration): string[] {
  const colour = groundColour(style)
  return colour === '' ? [] : [colour]
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
  if (element.localName === 'label') return isNamed((element as HTMLLabelElement).control)
  const owner = element.parentElement
  if (!owner || CAPTIONED[element.localName] !== owner.localName) return false
  return !owner.hasAttribute('aria-label') && !owner.hasAttribute('aria-labelledby')
}

/** A custom element without a role is listed by what it holds, if at all: that need not say its label. */
const isNamed = (control: Element | null): boolean =>
  control !== null && (!control.localName.includes('-') || shownRole(control) !== 'generic')

const LEAVES = new Set([
  'image',
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

/** What is typed into a segment of a date is its value. */
const isLeaf = (element: Element, role: Role): boolean =>
  (LEAVES.has(role) && !hasActingShapes(element)) ||
  isInput(element) ||
  isSelect(element) ||
  (role === 'spinbutton' && isEditingHost(element))

/** Of a drawing in markup: links, and what an author made act. Icons have none, and are not walked through for it. */
const hasActingShapes = (element: Element): boolean =>
  element.localName === 'svg' && element.querySelector(ACTING_SHAPES) !== null

const ACTING_SHAPES = 'a, [role], [tabindex], [onclick], foreignObject'

/** Within a picture the shapes have no words: where they are wanted they are listed. */
const isToldByName = (role: Role, { graphics }: Extras): boolean =>
  (TOLD_BY_NAME.has(role) || role === 'combobox') && role !== 'clickable' && !(graphics && role === 'image')

/** @param listed its name matters, for it gets a ref or was asked for by itself */
function describe(element: Element, role: Role, listed: boolean, isAskedFor: boolean): ElementItem {
  const loose = looseLabel(element, role)
  const control = hiddenControlOf(element) ?? element
  const byChildren = TOLD_BY_CHILDREN.has(role) && !hasAuthorName(element)
  const fullName = loose || (byChildren && !listed ? '' : nameOf(element, role))
  return {
    kind: 'element',
    element,
    role: loose ? 'group' : role,
    shape: null,
    name: byChildren && !isAskedFor ? '' : cut(withoutRefs(collapsed(withoutIcons(fullName))), MAX_TEXT),
    fullName,
    states: statesOf(control, role),
    value: fieldValueOf(control, role),
    acts: false,
    box: null,
    children: [],
  }
}

/** Ends an item whose children are known. */
function settle(item: ElementItem): void {
  item.children = told(item.children)
  markOutstanding(item.children.filter(child => child.kind === 'element'))
  const [only] = item.children
  if (item.role === 'clickable' && item.children.length > 0) {
    const textOnly = item.children.every(child => child.kind === 'text')
    if (textOnly && item.box === null) item.children = []
    else if (!hasAuthorName(item.element)) item.name = ''
  }
  if (item.role === 'heading' && item.children.length === 1 && only?.kind === 'element') {
    if (only.name === item.name && only.children.length === 0) item.name = ''
  }
  if (item.acts && item.name === '' && item.children.length === 0) {
    const hint = hintOf(item.element)
    if (hint !== '') item.states.push(`hint=${quote(hint)}`)
    if (PICTURED.has(item.role)) item.box ??= boxOf(item.element.getBoundingClientRect())
  }
}

/** Without a name these are icons as a rule, which can be told apart by their place in a picture. */
const PICTURED = new Set(['button', 'link', 'clickable', 'tab', 'menuitem', 'option', 'switch'])

/** Full stops and bars between links tell nothing. */
const PUNCTUATION = /^[\p{P}|\s]{1,3}$/u

/** Text as it is shown: one line, cut, without what is empty. */
function told(items: Item[]): Item[] {
  return items.flatMap((item): Item[] => {
    if (item.kind === 'element') return [item]
    const text = cut(withoutRefs(tidy(withoutIcons(item.text))), MAX_TEXT)
    const separates = items.length > 1 && PUNCTUATION.test(text)
    return text === '' || separates ? [] : [{ ...item, text }]
  })
}

function isWorthTelling(item: ElementItem): boolean {
  if (item.acts || item.children.length > 0 || CELLS.has(item.role)) return true
  return item.role !== 'separator' && (item.name !== '' || Boolean(item.value))
}
