import { nextFrame, nextTask } from './clock.ts'
import { ancestorsOf, isHtml } from './dom.ts'
import { DragEvents } from './drag-events.ts'
import { type Hit, isInView, type Point } from './hit-test.ts'
import type { Observation } from './observe.ts'
import type { Outside } from './outside.ts'
import { type HeldPointer, type Pointer, pageTurn } from './pointer.ts'
import { transferOf } from './transfer.ts'

/** What is dragged, where it is taken hold of, and where it goes. */
export interface Way {
  source: Element
  hit: Hit
  goal: Element | null
  position: Point | null
  by: Point | null
}

export interface Carried {
  /** Whether what it was dropped on took it; null where only the page itself knows, since it drags by the pointer alone. */
  taken: boolean | null
  /** Where it was let go. */
  end: Point
}

/** So many moves on the way: pages tell a drag from a click by them. */
const MOVES = 8
/**
 * Where it is to be dropped the pointer rests until nothing makes room any more: lists take no notice of moves right
 * after they did.
 */
const MOST_RESTS = 10
/** At least so many, and so many one after the other in which nothing moved. */
const RESTS = { least: 3, still: 2 }
/** In a hidden tab each of them takes a second, and all of a page's timers come at once. */
const UNSEEN_RESTS = { least: 2, still: 1 }
/** Some look where the pointer is only so often. */
const REST_MS = 60

/** @returns also whether the page was seen to take any notice while it was carried */
export async function carryByScript(
  way: Way,
  pointer: Pointer,
  observation: Observation,
): Promise<Carried & { noticed: boolean }> {
  const { hit } = way
  pointer.moveTo(hit)
  await observation.settle('press')
  observation.forget()
  const held = pointer.hold(hit)
  await observation.settle('press')
  await pageTurn()
  const draggable = held.mayDrag ? draggableAt(hit.element) : null
  const nudge = nudged(hit.point)
  held.moveTo(nudge)
  await nextTask()
  const drag = draggable === null ? null : new DragEvents(transferOf({}))
  if (drag === null || draggable === null || !drag.start(draggable, nudge)) {
    const end = await carryByPointer(held, way, observation)
    return { taken: null, end, noticed: observation.hasChanges() }
  }
  held.cancel()
  return { ...(await carryByBrowser(drag, draggable, way, observation)), noticed: true }
}

const nudged = ({ x, y }: Point): Point => ({ x: x + 3, y: y + 3 })

/** By moves and a release alone, as pages do that drag by themselves. */
async function carryByPointer(held: HeldPointer, way: Way, observation: Observation): Promise<Point> {
  await pageTurn()
  const end = await travel(way, async point => held.moveTo(point))
  await observation.settle('press')
  await pageTurn()
  held.release(end)
  return end
}

/** As HTML defines it. */
async function carryByBrowser(
  drag: DragEvents,
  source: HTMLElement,
  way: Way,
  observation: Observation,
): Promise<Carried> {
  await pageTurn()
  const end = await travel(way, async point => drag.moveTo(point, source))
  await observation.settle('press')
  await pageTurn()
  drag.moveTo(end, source)
  const taken = drag.drop(end)
  drag.end(source, end)
  await observation.settle('press')
  await pageTurn()
  return { taken, end }
}

/** Some lists take hold only of what was pressed for a while. */
const HOLD_MS = 300

/** By the browser's own pointer, which begins the browser's own kind of drag where there is one to begin. */
export async function carryTrusted(way: Way, outside: Outside, observation: Observation): Promise<Carried> {
  const at = async (point: Point): Promise<Point> => (await outside.place(point)).at
  const button = { button: 'left', count: 1, modifiers: [] as [] } as const
  const start = await at(way.hit.point)
  await outside.input({ do: 'move', at: start })
  await observation.settle('press')
  observation.forget()
  const heard = dragHeard()
  let end = way.hit.point
  try {
    await outside.input({ do: 'catch_drags' }, { do: 'down', at: start, ...button })
    await pageTurn(HOLD_MS)
    const move = async (point: Point): Promise<void> => {
      const to = await at(point)
      await outside.input(heard.isDragged() ? { do: 'drag', at: to } : { do: 'move', at: to, held: true })
    }
    await move(nudged(way.hit.point))
    end = await travel(way, move)
    await observation.settle('press')
    await pageTurn()
    const to = await at(end)
    await outside.input(heard.isDragged() ? { do: 'drop', at: to } : { do: 'up', at: to, ...button })
  } finally {
    heard.end()
    await outside.input({ do: 'let_drags' })
  }
  return { taken: heard.isDragged() ? heard.isDropped() : null, end }
}

/** Listens whether the browser itself begins a drag here, and whether something gets its drop. */
function dragHeard(): { isDragged(): boolean; isDropped(): boolean; end(): void } {
  const life = new AbortController()
  let started: Event | null = null
  let dropped = false
  // The last to hear of it knows whether the page refused; where it let nobody else hear of it, it did not.
  const options = { capture: true, signal: life.signal }
  window.addEventListener(
    'dragstart',
    event => {
      if (event.isTrusted) started = event
    },
    options,
  )
  window.addEventListener(
    'drop',
    event => {
      dropped ||= event.isTrusted
    },
    options,
  )
  return {
    isDragged: () => started !== null && !started.defaultPrevented,
    isDropped: () => dropped,
    end: () => life.abort(),
  }
}

/** @returns where it ended */
async function travel(way: Way, move: (point: Point) => Promise<void>): Promise<Point> {
  const start = way.hit.point
  if (way.goal !== null && !isInView(endOf(way))) {
    way.goal.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    await nextFrame()
  }
  const aim = new Aim(way)
  for (let step = 1; step <= MOVES; step += 1) {
    const share = step / MOVES
    const { x, y } = aim.now()
    const point = { x: start.x + (x - start.x) * share, y: start.y + (y - start.y) * share }
    if (isOver(point, way.goal)) aim.freeze()
    await move(point)
    await (step % 2 === 0 ? nextFrame() : nextTask())
  }
  return rest(way, aim, move)
}

async function rest(way: Way, aim: Aim, move: (point: Point) => Promise<void>): Promise<Point> {
  const { least, still: enough } = document.visibilityState === 'hidden' ? UNSEEN_RESTS : RESTS
  let before = looksOf(way)
  let still = 0
  for (let rests = 1; rests <= MOST_RESTS && (still < enough || rests <= least); rests += 1) {
    const { x, y } = aim.now()
    // Some look again only at a pointer that has moved.
    await move({ x: x + (rests % 2), y })
    await pageTurn(REST_MS)
    const after = looksOf(way)
    still = after.every((each, at) => Math.abs(each - (before[at] ?? 0)) < 2) ? still + 1 : 0
    before = after
  }
  const end = aim.now()
  await move(end)
  return end
}

const looksOf = ({ source, goal }: Way): number[] =>
  [source, goal].flatMap(each => {
    const { left = 0, top = 0, width = 0, height = 0 } = each?.getBoundingClientRect() ?? {}
    return [left, top, width, height]
  })

/**
 * Where it is to be let go. The goal is followed as the page scrolls by itself, and as the layout changes for what was
 * taken out, until the pointer is over it: then lists make room, and to follow it would take the room back.
 */
class Aim {
  readonly #way: Way
  #scrolled: Point
  #laid: Point
  #end: Point
  #isFrozen = false

  constructor(way: Way) {
    this.#way = way
    this.#scrolled = scrolledAround(way.goal)
    this.#laid = layoutOf(way.goal)
    this.#end = endOf(way)
  }

  now(): Point {
    const { goal } = this.#way
    const scrolled = scrolledAround(goal)
    const laid = this.#isFrozen ? this.#laid : layoutOf(goal)
    this.#end = {
      x: this.#end.x + laid.x - this.#laid.x - (scrolled.x - this.#scrolled.x),
      y: this.#end.y + laid.y - this.#laid.y - (scrolled.y - this.#scrolled.y),
    }
    this.#scrolled = scrolled
    this.#laid = laid
    return this.#end
  }

  freeze(): void {
    this.#isFrozen = true
  }
}

/** How far what is around the goal is scrolled, as far as the goal goes with it. */
function scrolledAround(goal: Element | null): Point {
  const sum = { x: 0, y: 0 }
  if (goal === null) return sum
  for (const at of [goal, ...ancestorsOf(goal)]) {
    if (at !== goal && at !== document.scrollingElement) {
      sum.x += at.scrollLeft
      sum.y += at.scrollTop
    }
    if (getComputedStyle(at).position === 'fixed') return sum
  }
  return { x: sum.x + window.scrollX, y: sum.y + window.scrollY }
}

/** Where layout puts it, whatever is scrolled: lists shift their items by transforms, and still mean their places. */
function layoutOf(goal: Element | null): Point {
  const sum = { x: 0, y: 0 }
  for (let at: Element | null = goal; at instanceof HTMLElement; at = at.offsetParent) {
    sum.x += at.offsetLeft
    sum.y += at.offsetTop
  }
  return sum
}

function isOver({ x, y }: Point, goal: Element | null): boolean {
  const { left = 0, top = 0, right = 0, bottom = 0 } = goal?.getBoundingClientRect() ?? {}
  return x >= left && x <= right && y >= top && y <= bottom
}

function endOf({ hit, goal, by, position }: Way): Point {
  if (goal === null) return { x: hit.point.x + (by?.x ?? 0), y: hit.point.y + (by?.y ?? 0) }
  const { left, top, width, height } = goal.getBoundingClientRect()
  if (position !== null) return { x: left + position.x, y: top + position.y }
  const middle = { x: left + width / 2, y: top + height / 2 }
  return {
    x: middle.x + past(middle.x - hit.point.x, width),
    y: middle.y + past(middle.y - hit.point.y, height),
  }
}

/** Lists that ask in which half of an item the pointer is have no answer for its very middle: a little further on. */
const past = (way: number, size: number): number => (way < 0 ? -1 : 1) * Math.min(2, size / 4)

/** What the browser would drag there: also links and pictures. */
function draggableAt(element: Element): HTMLElement | null {
  for (const each of [element, ...ancestorsOf(element)]) if (isHtml(each) && each.draggable) return each
  return null
}
