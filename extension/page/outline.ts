import { isSelect } from './field-values.ts'
import { boxText, CELLS, type ElementItem, type Item, type TextItem } from './items.ts'
import { quote, shorten, tidy, withoutRefs } from './text.ts'

/** The tree as lines: `button "Save" [d1e4] disabled`. */

/** Gives the ref of an item that acts, as `[d1e4]`. */
export type RefText = (item: ElementItem) => string

export interface Line {
  text: string
  item: Item
  depth: number
  /** It stands on the line of what is around it. */
  joined: boolean
}

/** Lines in document order; refs are asked for only as a line is taken. */
export function* linesOf(
  items: readonly Item[],
  refText: RefText,
  depth = 0,
  joined = false,
): Generator<Line> {
  for (const item of items) {
    const inside = item.kind === 'element' && !foldsChildren(item) ? item.children : []
    yield { text: `${ownLine(item, refText)}${inside.length > 0 ? ':' : ''}`, item, depth, joined }
    yield* linesOf(inside, refText, depth + 1, item.kind === 'element' && joinsChildren(item))
  }
}

const MAX_JOINED = 10
const MAX_JOINED_LENGTH = 320
/** What is one of many alike, or holds a document, stands on a line of its own. */
const OWN_LINE = new Set(['iframe', 'listitem', 'option', 'row', 'treeitem', 'article'])

/** True for a card or a bar of a few things: they stand beside each other, as they are drawn. */
function joinsChildren({ children }: ElementItem): boolean {
  if (
    children.length > MAX_JOINED ||
    children.some(child => child.kind === 'element' && !foldsChildren(child))
  )
    return false
  const joinable = children.every(child => child.kind === 'text' || !OWN_LINE.has(child.role))
  return joinable && children.reduce((sum, child) => sum + lengthOf(child), 0) <= MAX_JOINED_LENGTH
}

const lengthOf = (item: Item): number =>
  item.kind === 'text'
    ? item.text.length
    : item.name.length +
      (item.value?.length ?? 0) +
      item.children.reduce((sum, child) => sum + lengthOf(child), 0)

/** How many lines an item takes. */
export function lineCount(item: Item): number {
  if (item.kind === 'text' || foldsChildren(item)) return 1
  return item.children.reduce((sum, child) => sum + lineCount(child), 1)
}

function ownLine(item: Item, refText: RefText): string {
  if (item.kind === 'text') return textLine(item, refText)
  const head = headOf(item, refText)
  if (item.children.length === 0 || !foldsChildren(item)) return head
  return `${head}: ${item.role === 'row' ? cells(item, refText) : folded(item.children, refText, item)}`
}

function textLine({ text, struck, carrier }: TextItem, refText: RefText): string {
  const parts = [quote(text)]
  if (carrier) parts.push(refText(carrier))
  if (carrier?.box) parts.push(boxText(carrier.box))
  if (struck) parts.push('struck')
  return parts.join(' ')
}

/** Role, name, ref, box, states, address, value. */
function headOf(item: ElementItem, refText: RefText): string {
  const parts = [item.shape ?? item.role]
  if (item.name !== '') parts.push(quote(item.name))
  if (item.acts) parts.push(refText(item))
  if (item.box) parts.push(boxText(item.box))
  parts.push(...item.states.map(withoutRefs))
  const address = item.role === 'link' ? addressOf(item.element) : ''
  if (address !== '') parts.push(`-> ${address}`)
  return `${parts.join(' ')}${valueText(item)}`
}

const MAX_VALUE = 200

function valueText(item: ElementItem): string {
  const value = item.value === null ? '' : shorten(item.value.replace(/\r?\n/g, '\\n'), MAX_VALUE)
  const options = isSelect(item.element) ? optionsText(item.element) : ''
  const text = [value, options].filter(part => part !== '').join(' ')
  return text === '' ? '' : `: ${withoutRefs(text)}`
}

const MAX_OPTIONS = 20

function optionsText(select: HTMLSelectElement): string {
  const labels = [...select.options].slice(0, MAX_OPTIONS).map(option => shorten(tidy(option.label), 60))
  const more = select.options.length - labels.length
  return `(options: ${labels.join(' | ')}${more > 0 ? ` | … ${more} more` : ''})`
}

const MAX_ADDRESS = 100

/** Without the origin where it is the page's own. */
function addressOf(element: Element): string {
  const raw = element.getAttribute('href')?.trim() ?? ''
  if (raw === '' || raw === '#' || /^javascript:/i.test(raw)) return ''
  if (!URL.canParse(raw, document.baseURI)) return shorten(raw, MAX_ADDRESS)
  const url = new URL(raw, document.baseURI)
  if (url.href.split('#')[0] === location.href.split('#')[0] && url.hash !== '')
    return shorten(url.hash, MAX_ADDRESS)
  const own = url.origin === location.origin && url.origin !== 'null'
  return shorten(own ? url.pathname + url.search + url.hash : url.href, MAX_ADDRESS)
}

const FOLDED_ROLES = new Set(['listitem', 'heading', 'term', 'definition', 'status', 'alert'])
const MAX_FOLDED = 6

/** True when the children stand on the item's own line. */
function foldsChildren(item: ElementItem): boolean {
  if (item.children.length === 0) return true
  if (item.role === 'row') return item.children.every(isFoldedCell)
  if (item.value !== null && item.value !== '') return false
  const [only] = item.children
  if (item.children.length === 1 && only?.kind === 'text') return true
  return FOLDED_ROLES.has(item.role) && item.children.length <= MAX_FOLDED && item.children.every(isLeafItem)
}

const isLeafItem = (item: Item): boolean => item.kind === 'text' || item.children.length === 0

function isFoldedCell(item: Item): boolean {
  if (item.kind === 'text' || !CELLS.has(item.role)) return isLeafItem(item)
  return item.children.length <= MAX_FOLDED && item.children.every(isLeafItem)
}

const cells = (row: ElementItem, refText: RefText): string =>
  row.children.map(cell => cellText(cell, refText)).join(' | ')

function cellText(cell: Item, refText: RefText): string {
  if (cell.kind === 'text') return textInside(cell, null, refText)
  if (!CELLS.has(cell.role)) return headOf(cell, refText)
  const inside = folded(cell.children, refText, cell)
  const marked = cell.acts || cell.name !== '' || cell.states.length > 0
  return marked ? [headOf(cell, refText), inside].filter(part => part !== '').join(': ') : inside
}

/** Text alone needs no quotes; beside other things it has them. */
function folded(items: readonly Item[], refText: RefText, around: ElementItem): string {
  const [only] = items
  if (items.length === 1 && only?.kind === 'text') return textInside(only, around, refText)
  return items
    .map(item => (item.kind === 'text' ? textLine(item, refText) : headOf(item, refText)))
    .join(', ')
}

/** A text that is all that an element holds is addressed by the element. */
function textInside(item: TextItem, around: ElementItem | null, refText: RefText): string {
  const addressed = around?.acts === true || item.carrier === null
  return addressed && !item.struck
    ? item.text
    : textLine(addressed ? { ...item, carrier: null } : item, refText)
}

const KEPT_WRAPPERS = new Set([
  'alertdialog',
  'dialog',
  'menu',
  'listbox',
  'tablist',
  'form',
  'navigation',
  'main',
  'search',
  'iframe',
])
const ANNOUNCED = new Set(['alert', 'status'])

const MAX_WORDS = 80

/** The texts in it that are left out with what does not act. Days and cards have no other name. */
function wordsLost({ children }: ElementItem): string {
  const words = children.flatMap(function lost(child: Item): string[] {
    if (child.kind === 'text') return [child.text]
    const isKept = child.acts || child.role === 'heading' || ANNOUNCED.has(child.role)
    return isKept ? [] : [child.name, ...child.children.flatMap(lost)]
  })
  return shorten(tidy(words.join(' ')), MAX_WORDS)
}

/** What can be acted on, with headings, announcements and the few wrappers that tell where one is. */
export function interactiveOnly(items: readonly Item[]): Item[] {
  return items.flatMap((item): Item[] => {
    if (item.kind === 'text') return []
    if (ANNOUNCED.has(item.role)) return [item]
    const children = interactiveOnly(item.children)
    if (item.acts || item.role === 'heading')
      return [{ ...item, name: item.name || wordsLost(item), children }]
    return KEPT_WRAPPERS.has(item.role) && children.length > 0 ? [{ ...item, children }] : children
  })
}
