import { flatParent, focusedElement } from './dom.ts'
import { IS_FIREFOX } from './engine.ts'
import { isRendered } from './rendering.ts'
import { isEditingHost, isFocusableByMarkup } from './roles.ts'

/** Moving the focus as a person would, with its events also where the browser window has no focus itself. */

/** The element that takes the focus when this one is pressed: itself or one around it. */
export function focusableAt(element: Element): Element | null {
  for (let at: Element | null = element; at; at = flatParent(at)) {
    if (isFocusable(at)) return at
  }
  return null
}

export const isFocusable = (element: Element): boolean => isFocusableByMarkup(element) && isRendered(element)

/** Focuses an element, or nothing. The pending `change` of a left field comes from the browser itself. */
export function moveFocus(to: Element | null): void {
  const from = focusedElement()
  if (from === to) {
    placeCaret(to)
    return
  }
  const heard = listen(from, to)
  if (to) (to as HTMLElement).focus({ preventScroll: true })
  else if (from) (from as HTMLElement).blur()
  const { left, entered } = heard()
  const now = focusedElement()
  if (from && now !== from && !left) {
    fire(from, 'blur', now)
    fire(from, 'focusout', now)
  }
  if (now && now !== from && !entered) {
    fire(now, 'focus', from)
    fire(now, 'focusin', from)
  }
  placeCaret(now)
}

/** Firefox gives an editor a caret with the focus only where its window is in front; without one nothing can be edited. */
function placeCaret(focused: Element | null): void {
  if (focused === null || !isEditingHost(focused) || !IS_FIREFOX) return
  const selection = getSelection()
  if (selection !== null && !focused.contains(selection.anchorNode)) selection.collapse(focused, 0)
}

/** Tells whether the browser sent the events itself: it does not in tabs and windows without focus. */
function listen(from: Element | null, to: Element | null): () => { left: boolean; entered: boolean } {
  const life = new AbortController()
  const seen = { left: false, entered: false }
  const options = { capture: true, once: true, signal: life.signal }
  if (from) window.addEventListener('blur', () => (seen.left = true), options)
  if (to) window.addEventListener('focus', () => (seen.entered = true), options)
  return () => {
    life.abort()
    return seen
  }
}

function fire(element: Element, type: string, relatedTarget: Element | null): void {
  const bubbles = type === 'focusin' || type === 'focusout'
  element.dispatchEvent(new FocusEvent(type, { bubbles, composed: true, relatedTarget, view: window }))
}
