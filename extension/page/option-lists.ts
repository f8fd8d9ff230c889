import { shownRole } from './clickable.ts'
import { nextFrame } from './clock.ts'
import { ancestorsOf, ariaWord, elementsIn, flatChildren, holds, isElement, isText, related } from './dom.ts'
import { aloneAround } from './reach.ts'
import { hasVisibility, isRendered, isVisible } from './rendering.ts'
import { scrollsDown, tellScroll } from './scrolling.ts'
import { checkedState } from './states.ts'
import { tidy } from './text.ts'

/** Lists that a page has made itself: where their options are, and what their control shows of the choice. */

const LISTS = new Set(['listbox', 'menu', 'tree', 'grid'])
const OPTIONS = new Set(['option', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'treeitem', 'row'])

export const openLists = (): Element[] =>
  elementsIn(document).filter(each => LISTS.has(each.getAttribute('role') ?? '') && isVisible(each))

/** Where the options of a control are looked for. */
export interface OptionPlace {
  control: Element
  /** The lists that were open before the control's was opened. */
  known: ReadonlySet<Element>
}

/** The options that are to be seen now. */
export function optionsOf({ control, known }: OptionPlace): Element[] {
  if (shownRole(control) === 'listbox') return optionsIn(control)
  const named = related(control, 'controls').filter(list => isRendered(list))
  const own = named.filter(list => !isCut(list)).flatMap(optionsIn)
  if (own.length > 0) return own
  const beside = named.flatMap(list => itemsBeside(list, control))
  if (beside.length > 0) return beside
  return openLists()
    .filter(list => !known.has(list))
    .flatMap(optionsIn)
}

const optionsIn = (list: Element): Element[] =>
  shownIn(list).filter(each => OPTIONS.has(shownRole(each)) && isVisible(each))

/** Cut to nothing: what lies in it has its size, and is not to be seen. */
function isCut(list: Element): boolean {
  const { width, height } = list.getBoundingClientRect()
  return (width <= 1 || height <= 1) && getComputedStyle(list).display !== 'contents'
}

/**
 * A list for screen readers alone has no size, and says a part of what is drawn beside it without any role: that is
 * what a person clicks.
 */
function itemsBeside(list: Element, control: Element): Element[] {
  for (const around of ancestorsOf(list)) {
    if (holds(around, control) || around === document.body) return []
    if (isVisible(around))
      return shownIn(around).filter(
        each => isVisible(each) && (OPTIONS.has(shownRole(each)) || shownRole(each) === 'clickable'),
      )
  }
  return []
}

/** The elements in it as they are drawn: what fills its slots too. */
function shownIn(scope: Element): Element[] {
  const found: Element[] = []
  for (const child of flatChildren(scope)) if (isElement(child)) found.push(child, ...shownIn(child))
  return found
}

/** Whether several may be chosen; null where the page does not say. */
export function takesSeveral({ control, known }: OptionPlace): boolean | null {
  const lists =
    shownRole(control) === 'listbox'
      ? [control]
      : [...related(control, 'controls'), ...openLists().filter(list => !known.has(list))]
  const told = lists.map(list => ariaWord(list, 'aria-multiselectable')).find(value => value !== '')
  return told === undefined ? null : told === 'true'
}

export const isChosen = (option: Element): boolean =>
  option.isConnected &&
  (ariaWord(option, 'aria-selected') === 'true' || checkedState(option, shownRole(option)) === 'true')

/** The box that scrolls the options. Null where they are all drawn. */
export function scrollerOf(options: readonly Element[], control: Element): Element | null {
  const [first] = options
  if (!first) return null
  for (const box of ancestorsOf(first)) {
    if (box !== control && (holds(box, control) || box === document.scrollingElement)) return null
    if (scrollsDown(box)) return box
  }
  return null
}

/** @returns false at the end of the list */
export async function scrollOn(box: Element): Promise<boolean> {
  return await scrollTo(box, box.scrollTop + box.clientHeight * SHARE)
}

const SHARE = 0.95

/** @returns whether it moved */
export async function scrollTo(box: Element, top: number): Promise<boolean> {
  const before = box.scrollTop
  box.scrollTop = top
  if (box.scrollTop === before) return false
  // One frame for the page to hear of it, one for what it then draws.
  await nextFrame()
  tellScroll(box)
  await nextFrame()
  return true
}

/** Whether what a box shows is drawn down to its end. */
export function fillView(options: readonly Element[], box: Element): boolean {
  const { bottom, height } = box.getBoundingClientRect()
  return options.some(each => {
    const drawn = each.getBoundingClientRect()
    return drawn.top < bottom && drawn.bottom > bottom - height / 4
  })
}

/** How often the control and what is close around it show a text. Lists do not count. */
export function timesShown(control: Element, text: string): number {
  const words = tidy(text).toLowerCase()
  return words === '' ? 0 : shownText(fieldAround(control)).toLowerCase().split(words).length - 1
}

/** Chips and values are drawn in there. */
const fieldAround = (control: Element): Element => [...aloneAround(control)].at(-1) ?? control

function shownText(element: Element): string {
  if (LISTS.has(element.getAttribute('role') ?? '') || !isRendered(element)) return ''
  const parts = flatChildren(element).map(child => {
    if (isElement(child)) return shownText(child)
    return isText(child) && hasVisibility(element) ? child.data : ''
  })
  return tidy(parts.join(' '))
}
