import { elementAt, elementsIn, holds } from './dom.ts'
import { PageFailure } from './failure.ts'
import type { Point } from './hit-test.ts'
import { inWords } from './wording.ts'

export interface ThroughRequest {
  /** Which of this window's frames it is; -1 for one in a shadow tree. */
  index: number
  /** In the frame's own viewport. */
  point: Point
}

export interface Through {
  /** In this document's viewport. */
  point: Point
  /** What covers the frame there, in words; null when nothing does. */
  obstacle: string | null
}

/**
 * Where a point of a frame lies in this document, after bringing it into view.
 *
 * @throws element_not_ready when the frame cannot be told from others
 */
export function pointThrough({ index, point }: ThroughRequest): Through {
  const frame = frameOf(index)
  if (frame === null)
    throw PageFailure.of('element_not_ready', {
      target: 'The frame around the element',
      reason: 'it cannot be told from the other frames of its page',
    })
  if (!isInside(mapped(frame, point))) frame.scrollIntoView({ block: 'nearest', behavior: 'instant' })
  const shown = mapped(frame, point)
  if (!isInside(shown)) {
    const left = shown.x - window.innerWidth / 2
    const top = shown.y - window.innerHeight / 2
    document.scrollingElement?.scrollBy({ left, top, behavior: 'instant' })
  }
  const at = mapped(frame, point)
  return { point: at, obstacle: obstacleOver(frame, at) }
}

function frameOf(index: number): HTMLIFrameElement | null {
  const frames = elementsIn(document).filter(isFrame)
  if (index >= 0) {
    const wanted = window[index]
    return frames.find(frame => frame.contentWindow === wanted) ?? null
  }
  const counted = new Set(Array.from({ length: window.length }, (_, at) => window[at]))
  const hidden = frames.filter(frame => frame.contentWindow && !counted.has(frame.contentWindow))
  const [only] = hidden
  return only && hidden.length === 1 ? only : null
}

/** An object that shows a document has a window as frames have. */
const FRAMES = new Set(['iframe', 'frame', 'object'])
const isFrame = (element: Element): element is HTMLIFrameElement => FRAMES.has(element.localName)

/** Frames may be scaled by a transform. */
function mapped(frame: HTMLIFrameElement, { x, y }: Point): Point {
  const box = frame.getBoundingClientRect()
  const across = frame.offsetWidth > 0 ? box.width / frame.offsetWidth : 1
  const down = frame.offsetHeight > 0 ? box.height / frame.offsetHeight : 1
  const style = getComputedStyle(frame)
  return {
    x: box.left + (frame.clientLeft + Number.parseFloat(style.paddingLeft) + x) * across,
    y: box.top + (frame.clientTop + Number.parseFloat(style.paddingTop) + y) * down,
  }
}

const isInside = ({ x, y }: Point): boolean =>
  x >= 0 && y >= 0 && x < window.innerWidth && y < window.innerHeight

function obstacleOver(frame: HTMLIFrameElement, point: Point): string | null {
  if (!isInside(point)) return 'it lies outside of what is shown of its frame'
  const hit = elementAt(point.x, point.y)
  if (hit === null || hit === frame) return null
  if (holds(hit, frame)) return `${inWords(hit)} around its frame takes the pointer`
  return `${inWords(hit)} covers the frame around it`
}
