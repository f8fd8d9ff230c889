import type { ActResult, Verdict } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { nextFrame, nextTask } from './clock.ts'
import { ancestorsOf, elementAt, isHtml, pageElement } from './dom.ts'
import { DragEvents } from './drag-events.ts'
import type { Hit, Point } from './hit-test.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { type HeldPointer, type Pointer, pageTurn } from './pointer.ts'
import { awaitPointable, awaitUsable } from './readiness.ts'
import { transferOf } from './transfer.ts'
import { inWords } from './wording.ts'

export interface DragRequest {
  /** What is dragged. */
  target: string
  /** Where it is dropped; null: `by` says how far it goes. */
  to: string | null
  /** Pixels from the left upper corner of `to`; null: its middle. */
  position: Point | null
  /** Pixels from where it is taken hold of. */
  by: Point | null
  /** Where it is taken hold of, in pixels from its left upper corner; null: where it can be. */
  grab: Point | null
}

/** Drags an element onto another one, or by some pixels, and tells what became of it. */
export async function drag(request: DragRequest, context: ActContext): Promise<ActResult> {
  await context.ambient.hasLooked()
  const { element, hit } = await awaitPointable(request.target, context, request.grab)
  const goal = request.to === null ? null : await awaitUsable(request.to, context.refs, context.limit)
  const before = placeOf(element)
  // To carry something changes looks all over the page, which is no effect by itself.
  const observation = new Observation(pageElement(), context.ambient)
  let taken = false
  await guarded(observation, async () => {
    taken = await carry({ hit, goal, request }, context.pointer, observation)
    await observation.settle('act')
  })
  const { effects, verdict } = await observation.conclude(context.limit)
  const moved = movedSince(before, element)
  const all = moved === null ? effects : [...effects, 'moved']
  const result = actResult(judged(verdict, taken, moved !== null), all, element)
  return { ...result, value: result.value ?? moved }
}

/** A highlight that stays where nothing was dropped is no effect. */
function judged(verdict: Verdict, taken: boolean, moved: boolean): Verdict {
  if (moved) return 'confirmed'
  return taken ? verdict : 'unconfirmed'
}

interface Way {
  hit: Hit
  goal: Element | null
  request: DragRequest
}

/** So many moves on the way: pages tell a drag from a click by them. */
const MOVES = 8
/** Where it is to be dropped the pointer rests: lists take no notice of moves right after they made room. */
const RESTS = 3
const REST_MS = 40

/** @returns false where the browser's kind of drag ended over what takes no drop */
async function carry(way: Way, pointer: Pointer, observation: Observation): Promise<boolean> {
  const { hit } = way
  pointer.moveTo(hit)
  await observation.settle('press')
  observation.forget()
  const held = pointer.hold(hit)
  await observation.settle('press')
  await pageTurn()
  const draggable = held.mayDrag ? draggableAt(hit.element) : null
  const nudge = { x: hit.point.x + 3, y: hit.point.y + 3 }
  held.moveTo(nudge)
  await nextTask()
  const drag = draggable === null ? null : new DragEvents(transferOf({}))
  if (drag === null || draggable === null || !drag.start(draggable, nudge)) {
    await carryByPointer(held, way, observation)
    return true
  }
  held.cancel()
  return await carryByBrowser(drag, draggable, way, observation)
}

/** By moves and a release alone, as pages do that drag by themselves. */
async function carryByPointer(held: HeldPointer, way: Way, observation: Observation): Promise<void> {
  await pageTurn()
  const { end } = await travel(way, async point => held.moveTo(point))
  await observation.settle('press')
  await pageTurn()
  held.release(end)
}

/** As HTML defines it. */
async function carryByBrowser(
  drag: DragEvents,
  source: HTMLElement,
  way: Way,
  observation: Observation,
): Promise<boolean> {
  await pageTurn()
  const { end } = await travel(way, async point => drag.moveTo(point, source))
  await observation.settle('press')
  await pageTurn()
  drag.moveTo(end, source)
  const taken = drag.drop(end)
  drag.end(source, end)
  await observation.settle('press')
  await pageTurn()
  return taken
}

async function travel(way: Way, move: (point: Point) => Promise<void>): Promise<{ end: Point }> {
  const start = way.hit.point
  let end = endOf(way)
  if (way.goal !== null && !isInView(end)) {
    way.goal.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    await nextFrame()
    end = endOf(way)
  }
  for (let step = 1; step <= MOVES; step += 1) {
    const share = step / MOVES
    await move({ x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share })
    await (step % 2 === 0 ? nextFrame() : nextTask())
    // Lists make room on the way, and what was aimed at moves.
    if (step === MOVES - 2) end = endOf(way)
  }
  for (let rest = 0; rest < RESTS; rest += 1) {
    await move(end)
    await pageTurn(REST_MS)
  }
  return { end }
}

function endOf({ hit, goal, request: { by, position } }: Way): Point {
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

const isInView = ({ x, y }: Point): boolean =>
  x >= 0 && y >= 0 && x < window.innerWidth && y < window.innerHeight && elementAt(x, y) !== null

/** What the browser would drag there: also links and pictures. */
function draggableAt(element: Element): HTMLElement | null {
  for (const each of [element, ...ancestorsOf(element)]) if (isHtml(each) && each.draggable) return each
  return null
}

interface Placed {
  parent: Element | null
  index: number
  x: number
  y: number
}

function placeOf(element: Element): Placed {
  const { left, top } = element.getBoundingClientRect()
  const parent = element.parentElement
  const index = parent === null ? 0 : [...parent.children].indexOf(element)
  return { parent, index, x: left + window.scrollX, y: top + window.scrollY }
}

/** In words; null where it is where it was. */
function movedSince(before: Placed, element: Element): string | null {
  if (!element.isConnected) return null
  const now = placeOf(element)
  if (now.parent !== before.parent)
    return now.parent === null ? null : `now item ${now.index + 1} of ${inWords(now.parent)}`
  if (now.index !== before.index) return `item ${before.index + 1} is now item ${now.index + 1}`
  const x = Math.round(now.x - before.x)
  const y = Math.round(now.y - before.y)
  return Math.abs(x) + Math.abs(y) < 2 ? null : `moved by ${x}, ${y} pixels`
}
