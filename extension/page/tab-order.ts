import { elementsIn } from './dom.ts'
import { isInput } from './field-values.ts'
import { isFocusable } from './focus.ts'
import { hasVisibility, isInert } from './rendering.ts'

/** The element that the Tab key moves to from here; null when there is none at all. */
export function nextInTabOrder(from: Element | null, backward: boolean): Element | null {
  const order = tabOrder()
  if (order.length === 0) return null
  const at = from ? order.indexOf(from) : -1
  if (at < 0) return (backward ? order.at(-1) : (firstAfter(order, from) ?? order[0])) ?? null
  return order[(at + (backward ? -1 : 1) + order.length) % order.length] ?? null
}

/** From something that is not in the order itself, Tab goes on after its place in the document. */
function firstAfter(order: Element[], from: Element | null): Element | undefined {
  if (!from) return undefined
  return order.find(each => (from.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0)
}

function tabOrder(): Element[] {
  const stops = elementsIn(document).filter(
    element => tabIndexOf(element) >= 0 && isFocusable(element) && isStop(element),
  )
  const given = stops.filter(element => tabIndexOf(element) > 0).sort((a, b) => tabIndexOf(a) - tabIndexOf(b))
  return [...given, ...stops.filter(element => tabIndexOf(element) === 0)]
}

const tabIndexOf = (element: Element): number => {
  const given = Number.parseInt(element.getAttribute('tabindex') ?? '', 10)
  return Number.isNaN(given) ? 0 : given
}

function isStop(element: Element): boolean {
  return hasVisibility(element) && !isInert(element) && isGroupStop(element)
}

/** Of a radio group only the checked one is a stop, or the first when none is checked. */
function isGroupStop(element: Element): boolean {
  if (!isInput(element) || element.type !== 'radio' || element.name === '') return true
  const group = radioGroup(element)
  const stop = group.find(radio => radio.checked) ?? group[0]
  return stop === element
}

export function radioGroup(radio: HTMLInputElement): HTMLInputElement[] {
  const root = radio.getRootNode() as Document | ShadowRoot
  return [...root.querySelectorAll<HTMLInputElement>('input[type=radio]')].filter(
    each => each.name === radio.name && each.form === radio.form && !each.matches(':disabled'),
  )
}
