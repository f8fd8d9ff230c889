import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { isPageDrawn, nextFrame } from './clock.ts'
import { flatParent, pageElement } from './dom.ts'
import { actResult, guarded, Observation, positionOf } from './observe.ts'
import { awaitUsable } from './readiness.ts'

export type Direction = 'up' | 'down' | 'left' | 'right' | 'top' | 'bottom'

export interface ScrollRequest {
  /** null: the page. */
  target: string | null
  /** null: brings the target into view. */
  direction: Direction | null
  /** How far, in visible heights or widths of what is scrolled. */
  pages: number
}

/** Scrolls the target, or what is around it, at once; confirmed when it moved, unconfirmed at its end. */
export async function scroll(request: ScrollRequest, context: ActContext): Promise<ActResult> {
  const { target, direction, pages } = request
  const element = target === null ? null : await awaitUsable(target, context.refs, context.limit)
  const box = scrollerOf(element, direction)
  const before = positionOf(box)
  // Its tab then draws as if it were in front, which tells pages what has come into view.
  if (context.outside.hand === 'cdp') await context.outside.attach()
  const observation = new Observation(null, context.ambient)
  await guarded(observation, async () => {
    if (direction === null)
      (element ?? pageElement()).scrollIntoView({ block: 'center', behavior: 'instant' })
    else scrollBy(box, direction, pages)
    await nextFrame()
    if (positionOf(box) !== before) tellScroll(box)
    await observation.settle('act')
  })
  const moved = (): boolean => positionOf(box) !== before
  const isDone = (): boolean => moved() || (direction === null && element !== null && isInViewport(element))
  const { effects } = await observation.conclude(context.limit, isDone)
  const seen = new Set(moved() ? [...effects, 'scroll'] : effects)
  return actResult(isDone() ? 'confirmed' : 'unconfirmed', [...seen], element)
}

/**
 * A browser tells of scrolling when it draws: what is hidden it does not draw, and a tab behind others once a second,
 * even where the page is told that it is visible. To be called a frame after it was scrolled.
 */
export function tellScroll(box: Element): void {
  if (isPageDrawn()) return
  const isPage = box === document.scrollingElement
  const from = isPage ? document : box
  for (const type of ['scroll', 'scrollend']) from.dispatchEvent(new Event(type, { bubbles: isPage }))
}

function scrollBy(box: Element, direction: Direction, pages: number): void {
  const { clientWidth: width, clientHeight: height, scrollHeight } = box
  const by = { left: 0, top: 0 }
  if (direction === 'left' || direction === 'right') by.left = width * pages * (direction === 'left' ? -1 : 1)
  else if (direction === 'up' || direction === 'down') by.top = height * pages * (direction === 'up' ? -1 : 1)
  else by.top = direction === 'top' ? -scrollHeight : scrollHeight
  box.scrollBy({ ...by, behavior: 'instant' })
}

/** The nearest box, from the element outwards, that can move that way; the page when there is none. */
function scrollerOf(element: Element | null, direction: Direction | null): Element {
  const page = document.scrollingElement ?? document.documentElement
  const isSideways = direction === 'left' || direction === 'right'
  for (let at = element; at; at = flatParent(at)) if (at !== page && canScroll(at, isSideways)) return at
  return page
}

/** Whether there is more of it below or above than is drawn. */
export const scrollsDown = (box: Element): boolean => canScroll(box, false)

function canScroll(box: Element, isSideways: boolean): boolean {
  const style = getComputedStyle(box)
  const overflow = isSideways ? style.overflowX : style.overflowY
  const hasMore = isSideways ? box.scrollWidth > box.clientWidth : box.scrollHeight > box.clientHeight
  return hasMore && (overflow === 'auto' || overflow === 'scroll' || overflow === 'hidden')
}

function isInViewport(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect()
  return bottom > 0 && right > 0 && top < window.innerHeight && left < window.innerWidth
}
