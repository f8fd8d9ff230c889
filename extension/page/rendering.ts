import { oncePerTurn } from './clock.ts'
import {
  ancestorsOf,
  ariaWord,
  flatChildren,
  flatParent,
  focusedElement,
  holds,
  isHtml,
  nearest,
  tagOf,
} from './dom.ts'

/** What of the document is there for a reader: drawn, not hidden from the accessibility tree, not inert. */

/** Elements without a box of their own that are shown by another element. */
const SHOWN_BY_OTHERS = new Set(['option', 'optgroup', 'area'])

/** True when the element has a box, or could have one but for `display: contents`. */
export function isRendered(element: Element): boolean {
  if (element.checkVisibility()) return true
  if (!element.isConnected) return false
  if (isHtml(element) && SHOWN_BY_OTHERS.has(element.localName)) return isRenderedByOther(element)
  if (getComputedStyle(element).display !== 'contents') return false
  const parent = flatParent(element)
  return parent !== null && isRendered(parent)
}

function isRenderedByOther(element: Element): boolean {
  if (tagOf(element) === 'area') return true
  if (element.hasAttribute('hidden')) return false
  const style = getComputedStyle(element)
  if (style.display === 'none') return false
  const select = element.closest('select')
  return select !== null && isRendered(select)
}

/**
 * Hidden on purpose. As in Chromium that hides neither a whole document nor what has the focus: pages forget to take
 * it back, and nobody could go on there.
 */
export const isAriaHidden = (element: Element): boolean =>
  ariaWord(element, 'aria-hidden') === 'true' && !DOCUMENTS.has(element.localName) && !hasFocus(element)

const DOCUMENTS = new Set(['html', 'body'])

const focused = oncePerTurn(focusedElement)

const hasFocus = (element: Element): boolean => focused() !== null && holds(element, focused())

export const hasVisibility = (element: Element): boolean => getComputedStyle(element).visibility === 'visible'

/** Hidden from the accessibility tree by itself or by what is around it. */
export function isHidden(element: Element): boolean {
  return (
    !isRendered(element) ||
    !hasVisibility(element) ||
    nearest(element, isAriaHidden) !== null ||
    isInert(element)
  )
}

/** Cut off by the inert attribute, or by a modal dialog elsewhere in the document. */
export function isInert(element: Element): boolean {
  if (nearest(element, around => around.hasAttribute('inert')) !== null) return true
  const modal = openModal()
  if (!modal || modal === element || modal.contains(element)) return false
  for (const ancestor of ancestorsOf(element)) if (ancestor === modal) return false
  return true
}

/** The topmost modal dialog, to which everything else in the document is inert. */
export const openModal = oncePerTurn((): Element | null => {
  const modals = document.querySelectorAll('dialog:modal')
  return modals[modals.length - 1] ?? null
})

/** What a closed disclosure or skipped content hides is not there. */
export function childrenShown(element: Element, style: CSSStyleDeclaration): readonly Node[] {
  if (element.localName === 'details' && !element.hasAttribute('open')) {
    return [...element.children].filter(child => child.localName === 'summary').slice(0, 1)
  }
  if (element.localName === 'object' && !drawsChildren(element)) return []
  // It says nothing of what has no box to skip the contents of.
  const skips = style.contentVisibility === 'hidden' && !['inline', 'contents'].includes(style.display)
  return skips ? [] : flatChildren(element)
}

/** An object draws what it holds only where it has nothing else to show, and style does not tell. */
function drawsChildren(element: Element): boolean {
  const range = document.createRange()
  range.selectNodeContents(element)
  return range.getClientRects().length > 0
}

/** A box that a person can see: some size, drawn, visible. */
export function isVisible(element: Element): boolean {
  return isRendered(element) && hasVisibility(element) && boxesOf(element).length > 0
}

/** The element's boxes with some size; those of its children when it has none itself (`display: contents`). */
export function boxesOf(element: Element): DOMRect[] {
  const own = [...element.getClientRects()].filter(box => box.width > 0 && box.height > 0)
  if (own.length > 0 || getComputedStyle(element).display !== 'contents') return own
  return [...element.children].flatMap(boxesOf)
}
