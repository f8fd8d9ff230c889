import type { Limit } from './clock.ts'
import { elementAt, elementsIn, holds } from './dom.ts'
import type { ElementItem, Item } from './items.ts'
import { readPage } from './page-lines.ts'
import type { RefTable } from './refs.ts'
import { boxesOf } from './rendering.ts'
import { shorten } from './text.ts'

/** What a picture of the page needs to know of it: where things are. All lengths are CSS pixels. */

export interface Box {
  x: number
  y: number
  width: number
  height: number
}

export interface MeasureRequest {
  target: string | null
  /** Scroll it into view when it is not wholly there, as far as it fits. */
  reveal: boolean
}

export interface Measured {
  /** Of the element, in the viewport of its document; null without one. */
  box: Box | null
  viewport: { width: number; height: number }
  scroll: { x: number; y: number }
  page: { width: number; height: number }
  /** Pixels of the screen for each CSS pixel. */
  ratio: number
}

export function measure(element: Element | null, reveal: boolean): Measured {
  if (element && reveal && !isWhollySeen(boxAround(element)))
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
  const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement
  return {
    box: element && boxAround(element),
    viewport: { width: window.innerWidth, height: window.innerHeight },
    scroll: { x: window.scrollX, y: window.scrollY },
    page: {
      width: Math.max(scrollWidth, window.innerWidth),
      height: Math.max(scrollHeight, window.innerHeight),
    },
    ratio: window.devicePixelRatio,
  }
}

/** Around all boxes of the element: a link over two lines has two. */
function boxAround(element: Element): Box {
  const boxes = boxesOf(element)
  const { x, y, width, height } = element.getBoundingClientRect()
  if (boxes.length === 0) return { x, y, width, height }
  const left = Math.min(...boxes.map(box => box.left))
  const top = Math.min(...boxes.map(box => box.top))
  const right = Math.max(...boxes.map(box => box.right))
  const bottom = Math.max(...boxes.map(box => box.bottom))
  return { x: left, y: top, width: right - left, height: bottom - top }
}

const isWhollySeen = ({ x, y, width, height }: Box): boolean =>
  x >= 0 && y >= 0 && x + width <= window.innerWidth && y + height <= window.innerHeight

/** Something that can be acted on, and where it is in the viewport of its document. */
export interface Mark {
  ref: string
  role: string
  name: string
  box: Box
}

const MAX_MARKS = 150
const MAX_NAME = 60

/**
 * What a snapshot gives refs to, as far as it has a box.
 * @param seenOnly what lies outside of the viewport or is covered is left out
 */
export async function marksOf(refs: RefTable, limit: Limit, seenOnly: boolean): Promise<Mark[]> {
  const { items, writer } = await readPage(null, refs, limit)
  const marks: Mark[] = []
  for (const item of acting(items)) {
    const box = boxAround(item.element)
    if (box.width === 0 || box.height === 0 || (seenOnly && !isSeen(item.element, box))) continue
    const { role, fullName } = item
    marks.push({ ref: writer.refOf(item), role, name: shorten(fullName, MAX_NAME), box })
    if (marks.length === MAX_MARKS) break
  }
  return marks
}

function* acting(items: readonly Item[]): Generator<ElementItem> {
  for (const item of items) {
    if (item.kind === 'text') continue
    if (item.acts) yield item
    yield* acting(item.children)
  }
}

/** Some of it is in the viewport, and its middle, where that is too, is not under something else. */
function isSeen(element: Element, { x, y, width, height }: Box): boolean {
  const isOutside = x >= window.innerWidth || y >= window.innerHeight || x + width <= 0 || y + height <= 0
  if (isOutside) return false
  const at = elementAt(x + width / 2, y + height / 2)
  return at === null || holds(element, at) || holds(at, element)
}

/** The content box of the element of this window's frame number `index`; -1 is the only one in a shadow tree. */
export function frameBox(index: number): Box | null {
  const frame = index >= 0 ? frameElement(index) : shadowFrame()
  if (frame === null) return null
  const { x, y } = frame.getBoundingClientRect()
  const { paddingLeft, paddingTop } = getComputedStyle(frame)
  return {
    x: x + frame.clientLeft + Number.parseFloat(paddingLeft),
    y: y + frame.clientTop + Number.parseFloat(paddingTop),
    width: frame.clientWidth,
    height: frame.clientHeight,
  }
}

const framesHere = (): HTMLIFrameElement[] =>
  elementsIn(document).filter(
    (element): element is HTMLIFrameElement => 'contentWindow' in element && element.contentWindow !== null,
  )

function frameElement(index: number): HTMLIFrameElement | null {
  const inner = window[index]
  return framesHere().find(frame => frame.contentWindow === inner) ?? null
}

function shadowFrame(): HTMLIFrameElement | null {
  const counted = new Set(Array.from({ length: window.length }, (_, index) => window[index]))
  const [only, ...others] = framesHere().filter(frame => !counted.has(frame.contentWindow as Window))
  return only !== undefined && others.length === 0 ? only : null
}
