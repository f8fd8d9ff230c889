import { flatParent, isHtml, tagOf } from './dom.ts'
import { looksLikeLink } from './looks.ts'
import { isRendered } from './rendering.ts'
import { ACTED_ON, type Role } from './role-table.ts'
import { givenRole, isDraggable, isEditingHost, isMoreThanGeneric, roleOf } from './roles.ts'
import { shorten, tidy } from './text.ts'

/** What an agent is shown: accessible roles, and ours for what acts without having a role. */

/** Tags that act or show something, though HTML-AAM gives them no role. */
const OWN_KINDS = new Set(['audio', 'canvas', 'video'])

/** The role for an agent: the accessible one, `textbox` for editors, `clickable` for what acts without a role. */
export function shownRole(element: Element): Role {
  const role = roleOf(element)
  const isBox = role === 'generic' || role === 'none' || (role === 'group' && isMoreThanGeneric(element))
  if (!isBox) return role
  const control = hiddenControlOf(element)
  if (control) return roleOf(control)
  // Out of its context a role means nothing to a reader; what its author wanted it to do, it still does.
  const given = givenRole(element)
  if (given !== null && ACTED_ON.has(given)) return given
  if (isEditingHost(element)) return 'textbox'
  if (isHtml(element) && OWN_KINDS.has(element.localName)) return element.localName
  return isClickable(element) ? 'clickable' : role
}

/** True for what gets a ref, given its role for an agent. */
export function isActedOn(element: Element, role: Role): boolean {
  if (ACTED_ON.has(role) || OWN_KINDS.has(role)) return true
  // What acts without a role has been called `clickable`.
  return role !== 'generic' && role !== 'none' && isClickable(element)
}

const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'onpointerup', 'ondblclick']

/** What frameworks leave in the markup of what they listen on. */
const FRAMEWORK_HANDLERS =
  /^(?:(?:data-)?ng-click|(?:x-on|v-on|on):click|@click|wire:click|hx-(?:get|post|put|patch|delete)|data-(?:bs-)?toggle)(?:$|[.:])/

/** By what the page shows of it: a handler in the markup, a place in the tab order, a hand as its cursor. */
function isClickable(element: Element): boolean {
  const tag = tagOf(element)
  if (tag === 'body' || tag === 'html') return false
  if (tag === 'label') return hiddenControlOf(element) !== null
  if (element.hasAttributes()) {
    if (HANDLERS.some(handler => element.hasAttribute(handler)) || isDraggable(element)) return true
    const index = tabIndexOf(element)
    if (index >= 0 || (index === -1 && isNextInTurn(element))) return true
    if (element.getAttributeNames().some(name => FRAMEWORK_HANDLERS.test(name))) return true
  }
  const style = getComputedStyle(element)
  return hasOwnHand(element, style) || looksLikeLink(element, style)
}

/** NaN where none is given. */
const tabIndexOf = (element: Element): number => Number.parseInt(element.getAttribute('tabindex') ?? '', 10)

const SIBLINGS_LOOKED_AT = 100

/** Of widgets that are reached by arrows only one is in the tab order at a time; its siblings are just the same. */
function isNextInTurn(element: Element): boolean {
  const siblings: Element[] = Array.prototype.slice.call(
    element.parentElement?.children ?? [],
    0,
    SIBLINGS_LOOKED_AT,
  )
  return siblings.some(other => other.localName === element.localName && tabIndexOf(other) >= 0)
}

/** The control of a label where that control itself cannot be seen: the label stands in for it. */
export function hiddenControlOf(element: Element): HTMLElement | null {
  if (tagOf(element) !== 'label') return null
  const control = (element as HTMLLabelElement).control
  return control && !isRendered(control) ? control : null
}

/** The control of any label; else the element itself. */
export const controlOf = (element: Element): Element =>
  (tagOf(element) === 'label' ? (element as HTMLLabelElement).control : null) ?? element

/** The cursor is inherited: only the outermost element with the hand counts. */
function hasOwnHand(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.cursor !== 'pointer') return false
  const parent = flatParent(element)
  return parent === null || getComputedStyle(parent).cursor !== 'pointer'
}

/** For a control without a name: what the page gives away about it, e.g. `icon-trash`; '' when nothing. */
export function hintOf(element: Element): string {
  const picture = element.querySelector('img, use, [data-icon], svg[class], i[class], span[class]')
  const texts = [
    element.getAttribute('data-testid'),
    element.id,
    picture?.getAttribute('data-icon'),
    fileName(picture?.getAttribute('src') ?? picture?.getAttribute('href')),
    picture?.getAttribute('class'),
    element.getAttribute('name'),
    fileName(/url\("([^"]+)"\)/.exec(getComputedStyle(element).backgroundImage)?.[1]),
    element.getAttribute('class'),
  ]
  return shorten(tidy(texts.find(text => text?.trim()) ?? ''), 60)
}

function fileName(address: string | null | undefined): string {
  if (!address || address.startsWith('data:')) return ''
  return (
    address
      .replace(/[?].*$/, '')
      .split(/[/#]/)
      .pop() ?? ''
  )
}
