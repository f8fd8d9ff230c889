import { elementAt, holds, markupParent } from './dom.ts'
import { reaches } from './reach.ts'
import { boxesOf, isRendered } from './rendering.ts'
import { inWords } from './wording.ts'

export interface Point {
  x: number
  y: number
}

export interface Hit {
  point: Point
  /** What is at the point: the target or something in it. */
  element: Element
}

export const isInView = ({ x, y }: Point): boolean =>
  x >= 0 && y >= 0 && x < window.innerWidth && y < window.innerHeight && elementAt(x, y) !== null

/** Either where the target can be hit, or why not. */
export type HitTest = { hit: Hit } | { obstacle: string }

/**
 * Looks for a point at which the pointer reaches the element: the position in it, or without one the centre of its
 * first box, or else nearby.
 */
export function hitTest(element: Element, position: Point | null = null): HitTest {
  const points = position === null ? pointsOf(element) : pointAt(element, position)
  if (points.length === 0) return { obstacle: 'it is outside of the viewport and cannot be scrolled into it' }
  let first: Element | null = null
  for (const point of points) {
    const at = elementAt(point.x, point.y)
    if (at && reaches(at, element)) {
      const cover = frameCover(point)
      return cover ? { obstacle: cover } : { hit: { point, element: at } }
    }
    first ??= at
  }
  return { obstacle: obstacleText(element, first) }
}

/** Centres of the visible boxes, then points within the greatest, for what is covered in part only. */
function pointsOf(element: Element): Point[] {
  const boxes = boxesOf(element)
    .map(inViewport)
    .filter(box => box.width >= 1 && box.height >= 1)
  const points = boxes.slice(0, 3).map(box => at(box, 0.5, 0.5))
  const [greatest] = boxes.toSorted((a, b) => b.width * b.height - a.width * a.height)
  if (greatest) points.push(...SPOTS.map(([x, y]) => at(greatest, x, y)))
  return points
}

/** None when it lies outside of the viewport. */
function pointAt(element: Element, position: Point): Point[] {
  const { left, top } = element.getBoundingClientRect()
  const point = { x: left + element.clientLeft + position.x, y: top + element.clientTop + position.y }
  const isSeen = point.x >= 0 && point.y >= 0 && point.x < window.innerWidth && point.y < window.innerHeight
  return isSeen ? [point] : []
}

const SPOTS = [
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
] as const

const at = (box: DOMRect, x: number, y: number): Point => ({
  x: box.left + box.width * x,
  y: box.top + box.height * y,
})

function inViewport(box: DOMRect): DOMRect {
  const left = Math.max(0, box.left)
  const top = Math.max(0, box.top)
  const right = Math.min(window.innerWidth, box.right)
  const bottom = Math.min(window.innerHeight, box.bottom)
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
}

function obstacleText(target: Element, hit: Element | null): string {
  if (getComputedStyle(target).pointerEvents === 'none')
    return 'it ignores the pointer (pointer-events: none)'
  if (!hit) return 'nothing is drawn where it should be'
  if (holds(hit, target)) return `${inWords(hit)} around it takes the pointer, for it is clipped or behind`
  return `${inWords(coverOf(hit, target))} covers it`
}

/** The outermost element that covers the target without being around it. */
function coverOf(hit: Element, target: Element): Element {
  let cover = hit
  for (let at = markupParent(hit); at && !holds(at, target); at = markupParent(at)) {
    if (isRendered(at)) cover = at
  }
  return cover
}

/** What of the documents around covers the frame at this point; they can be asked only where they are of the same origin. */
function frameCover(point: Point): string | null {
  let inner: Window = window
  let { x, y } = point
  for (let frame = frameElementOf(inner); frame; frame = frameElementOf(inner)) {
    const box = frame.getBoundingClientRect()
    x += box.left + frame.clientLeft
    y += box.top + frame.clientTop
    const outer = frame.ownerDocument
    const hit = outer.elementFromPoint(x, y)
    if (hit && hit !== frame && !holds(hit, frame)) return `${inWords(hit)} covers the frame around it`
    if (!outer.defaultView) return null
    inner = outer.defaultView
  }
  return null
}

function frameElementOf(inner: Window): Element | null {
  try {
    return inner.frameElement
  } catch (error) {
    if (error instanceof DOMException && error.name === 'SecurityError') return null
    throw error
  }
}
