import { oncePerTurn } from './clock.ts'

/** The composed tree: documents and shadow roots, open or closed, as one tree. */

interface ShadowOpener {
  dom?: { openOrClosedShadowRoot?: (element: HTMLElement) => ShadowRoot | null }
}
interface FirefoxElement {
  openOrClosedShadowRoot?: ShadowRoot | null
}

/** `chrome.dom` is there in extension worlds only. */
const opener = (globalThis as { chrome?: ShadowOpener }).chrome?.dom

const SHADOW_HOSTS = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
)

export const isElement = (node: Node): node is Element => node.nodeType === Node.ELEMENT_NODE
export const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE
const isRoot = (node: Node): node is ShadowRoot => node.nodeType === Node.DOCUMENT_FRAGMENT_NODE

/** The body, or what stands for it in documents of another kind; a document that is written anew has nothing at first. */
export const pageElement = (): Element => (document.body as Element | null) ?? document.documentElement

/** Lower case, also in XHTML and SVG. */
export const tagOf = (element: Element): string => element.localName.toLowerCase()

export const isHtml = (element: Element): element is HTMLElement =>
  element.namespaceURI === 'http://www.w3.org/1999/xhtml'

/** By the prototype: of a form, a field that is called "matches" would stand in the method's place. */
export const isMatch = (element: Element, selector: string): boolean =>
  Element.prototype.matches.call(element, selector)

/** The element's shadow root, closed ones included where the browser lets an extension see them. */
export function shadowRootOf(element: Element): ShadowRoot | null {
  if (element.shadowRoot) return element.shadowRoot
  if (!isHtml(element)) return null
  const tag = element.localName
  if (!tag.includes('-') && !SHADOW_HOSTS.has(tag)) return null
  const known = closedRoots()
  const before = known.get(element)
  if (before !== undefined) return before
  const root = closedRootOf(element)
  known.set(element, root)
  return root
}

/** A walk asks for the same root again and again, and each question to the browser costs as much as a style. */
const closedRoots = oncePerTurn(() => new Map<Element, ShadowRoot | null>())

const closedRootOf = (element: HTMLElement): ShadowRoot | null =>
  opener?.openOrClosedShadowRoot
    ? opener.openOrClosedShadowRoot(element)
    : ((element as FirefoxElement).openOrClosedShadowRoot ?? null)

/** Children as they are rendered: shadow trees in place of what they hide, slots filled. */
export function flatChildren(node: Node): Node[] {
  const element = isElement(node) ? node : null
  if (element && isSlot(element)) {
    const assigned = element.assignedNodes()
    if (assigned.length > 0) return assigned
  }
  const children: Node[] = []
  const parent = (element && shadowRootOf(element)) ?? node
  for (let child = parent.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

const isSlot = (element: Element): element is HTMLSlotElement =>
  element.localName === 'slot' && isHtml(element)

/** The parent in the rendered tree; null for the root element and for what no slot shows. */
export function flatParent(node: Node): Element | null {
  const parent = node.parentNode
  if (!parent) return null
  if (isRoot(parent)) return parent.host
  if (!isElement(parent)) return null
  const root = shadowRootOf(parent)
  return root ? slotOf(node, root) : parent
}

function slotOf(node: Node, root: ShadowRoot): Element | null {
  const open = (node as Partial<Slottable>).assignedSlot
  if (open) return open
  // It is null for slots of closed roots.
  for (const slot of root.querySelectorAll('slot')) {
    if (slot.assignedNodes().includes(node)) return slot
  }
  return null
}

/** The parent by markup: a shadow root's is its host. */
export function markupParent(node: Node): Element | null {
  const parent = node.parentNode
  if (!parent) return null
  if (isRoot(parent)) return parent.host
  return isElement(parent) ? parent : null
}

/** True when `node` is `ancestor` or anywhere in it, shadow trees included. */
export function holds(ancestor: Node, node: Node | null): boolean {
  for (let at: Node | null = node; at; at = markupParent(at)) {
    if (at === ancestor || ancestor.contains(at)) return true
  }
  return false
}

export function* ancestorsOf(node: Node): Generator<Element> {
  for (let at = flatParent(node); at; at = flatParent(at)) yield at
}

/** The nearest element that fits: the element itself or one around it. */
export function nearest(element: Element, fits: (element: Element) => boolean): Element | null {
  if (fits(element)) return element
  for (const ancestor of ancestorsOf(element)) if (fits(ancestor)) return ancestor
  return null
}

export const rootOf = (element: Element): Document | ShadowRoot => {
  const root = element.getRootNode()
  return isRoot(root) ? root : document
}

/** A document or shadow root and every shadow root below it, in document order. */
export function rootsIn(scope: Document | ShadowRoot | Element): (Document | ShadowRoot | Element)[] {
  const roots: (Document | ShadowRoot | Element)[] = [scope]
  const own = isElement(scope) ? shadowRootOf(scope) : null
  if (own) roots.push(...rootsIn(own))
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const root = isElement(node) ? shadowRootOf(node) : null
    if (root) roots.push(...rootsIn(root))
  }
  return roots
}

/** Every element below the scope, shadow trees included, in document order. */
export function elementsIn(scope: Document | ShadowRoot | Element): Element[] {
  const found: Element[] = []
  collectElements(isElement(scope) ? (shadowRootOf(scope) ?? scope) : scope, found)
  if (isElement(scope) && shadowRootOf(scope)) collectElements(scope, found)
  return found
}

function collectElements(scope: ParentNode, found: Element[]): void {
  for (let child = scope.firstElementChild; child; child = child.nextElementSibling) {
    found.push(child)
    const root = shadowRootOf(child)
    if (root) collectElements(root, found)
    collectElements(child, found)
  }
}

/** The focused element, looked up through shadow roots; null when nothing but the page itself has the focus. */
export function focusedElement(): Element | null {
  let active = document.activeElement
  for (;;) {
    const inner: Element | null = active ? (shadowRootOf(active)?.activeElement ?? null) : null
    if (!inner) break
    active = inner
  }
  return active === document.body || active === document.documentElement ? null : active
}

/** The deepest element at a point of the viewport, looked up through shadow roots. */
export function elementAt(x: number, y: number): Element | null {
  let root: Document | ShadowRoot = document
  let found: Element | null = null
  for (;;) {
    const at: Element | null = root.elementFromPoint(x, y)
    if (!at || at === found) return found
    found = at
    const inner = shadowRootOf(at)
    if (!inner) return found
    root = inner
  }
}

type LabelMap = Map<Element, HTMLLabelElement[]>

const labelMaps = oncePerTurn(() => new Map<Document | ShadowRoot, LabelMap>())

/** The labels of a control. The property of that name walks the whole document each time it is asked. */
export function labelsOf(control: Element): readonly HTMLLabelElement[] {
  const root = rootOf(control)
  const known = labelMaps().get(root) ?? readLabels(root)
  labelMaps().set(root, known)
  return known.get(control) ?? []
}

function readLabels(root: Document | ShadowRoot): LabelMap {
  const labels: LabelMap = new Map()
  for (const label of root.querySelectorAll('label')) {
    const { control } = label
    if (control) labels.set(control, [...(labels.get(control) ?? []), label])
  }
  return labels
}

/** The word that an ARIA attribute holds, whose case says nothing; '' without one. */
export const ariaWord = (element: Element, attribute: `aria-${string}`): string =>
  element.getAttribute(attribute)?.trim().toLowerCase() ?? ''

interface Relations {
  ariaLabelledByElements?: readonly Element[] | null
  ariaOwnsElements?: readonly Element[] | null
  ariaControlsElements?: readonly Element[] | null
}
type Relation = 'labelledby' | 'owns' | 'controls'

const RELATIONS = {
  labelledby: ['aria-labelledby', 'ariaLabelledByElements'],
  owns: ['aria-owns', 'ariaOwnsElements'],
  controls: ['aria-controls', 'ariaControlsElements'],
} as const satisfies Record<Relation, readonly [attribute: string, property: keyof Relations]>

/** The elements that an ARIA relation names, by ids within the element's own tree or by reflection. */
export function related(element: Element, relation: Relation): Element[] {
  const [attribute, property] = RELATIONS[relation]
  const ids = element.getAttribute(attribute)?.trim()
  // Elements that a script has set leave an empty attribute; Chromium also reflects the misspelt aria-labeledby.
  if (ids === undefined) return []
  const reflected = (element as Relations)[property]
  if (reflected && reflected.length > 0) return [...new Set(reflected)]
  if (ids === '') return []
  const root = rootOf(element)
  return [...new Set(ids.split(/\s+/).flatMap(id => root.getElementById(id) ?? []))]
}
