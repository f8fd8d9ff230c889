import type { ActResult } from '../../shared/values.ts'
import type { ActContext } from './act-context.ts'
import { type Carried, carryByScript, carryTrusted, type Way } from './carrying.ts'
import { pageElement } from './dom.ts'
import { DropEvidence } from './drop-evidence.ts'
import { isInView, type Point } from './hit-test.ts'
import { actResult, guarded, Observation } from './observe.ts'
import { withoutDebugger } from './outside.ts'
import { awaitPointable, awaitUsable, type Ready } from './readiness.ts'

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
  const { hand } = context.outside
  await context.ambient.hasLooked()
  if (hand === 'cdp') return dragByBrowser(request, context)
  const { result, mayRepeat } = await dragByScript(request, context)
  if (result.verdict !== 'unconfirmed' || hand === 'dom') return result
  if (!mayRepeat) return { ...result, note: result.note ?? NOTICED }
  try {
    return { note: 'events of a script had no effect', ...(await dragByBrowser(request, context)) }
  } catch (error) {
    return { ...result, note: result.note ?? withoutDebugger(error) }
  }
}

const NOTICED =
  'the page took notice of the drag, yet nothing came of it; hand=cdp drags with the browser’s own input, if it did nothing indeed'

interface Scripted {
  result: ActResult
  /** Nothing can have come of it out of sight: nothing was dropped, or the page took no notice of being dragged over. */
  mayRepeat: boolean
}

async function dragByScript(request: DragRequest, context: ActContext): Promise<Scripted> {
  const carry = (way: Way, observation: Observation) => carryByScript(way, context.pointer, observation)
  const { way, carried, result } = await dragged(request, context, carry)
  const isAsBefore = result.effects.every(effect => effect === 'scroll' || effect === 'focus')
  return { result, mayRepeat: isAsBefore && (carried.taken === false || !carried.noticed) && !isDrawn(way) }
}

/** @throws unsupported where the debugger cannot be attached */
async function dragByBrowser(request: DragRequest, context: ActContext): Promise<ActResult> {
  // The bar that tells of the debugger moves the page: it comes first.
  await context.outside.attach()
  const carry = (way: Way, observation: Observation) => carryTrusted(way, context.outside, observation)
  const { result } = await dragged(request, context, carry)
  return { ...result, hand: 'cdp' }
}

async function dragged<C extends Carried>(
  request: DragRequest,
  context: ActContext,
  carry: (way: Way, observation: Observation) => Promise<C>,
): Promise<{ way: Way; carried: C; result: ActResult }> {
  const way = await wayOf(request, context)
  const evidence = new DropEvidence(way.source, way.goal)
  // To carry something changes looks all over the page, which is no effect by itself.
  const observation = new Observation(pageElement(), context.ambient)
  const carried = await guarded(observation, async () => {
    const done = await carry(way, observation)
    await observation.settle('act')
    return done
  })
  return { way, carried, result: await concluded(way, evidence, carried, observation, context) }
}

async function wayOf(request: DragRequest, context: ActContext): Promise<Way> {
  const goal = request.to === null ? null : await awaitUsable(request.to, context.refs, context.limit)
  let ready: Ready = await awaitPointable(request.target, context, request.grab)
  if (goal !== null && bringTogether(ready.element, goal))
    ready = await awaitPointable(ready.element, context, request.grab)
  const { position, by } = request
  return { source: ready.element, hit: ready.hit, goal, position, by }
}

/**
 * Scrolls so that both can be seen, as a person does before they take hold of the one: what scrolls while something is
 * carried makes lists sort it into places on the way.
 *
 * @returns whether anything was scrolled
 */
function bringTogether(source: Element, goal: Element): boolean {
  if (isCentreInView(goal) && isCentreInView(source)) return false
  goal.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
  if (!isCentreInView(source))
    source.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' })
  return true
}

function isCentreInView(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  return isInView({ x: left + width / 2, y: top + height / 2 })
}

async function concluded(
  { source }: Way,
  evidence: DropEvidence,
  { taken, end }: Carried,
  observation: Observation,
  context: ActContext,
): Promise<ActResult> {
  const { effects } = await observation.conclude(context.limit)
  const { verdict, moved, note } = evidence.judge({
    effects,
    changes: observation.attributable(),
    taken,
    end,
  })
  const result = actResult(verdict, moved === null ? effects : [...effects, 'moved'], source)
  return { ...result, value: result.value ?? moved, ...(note !== null && { note }) }
}

/** What is drawn on a canvas tells nobody what became of it. */
const isDrawn = ({ hit, goal }: Way): boolean =>
  [hit.element, goal].some(each => each?.localName === 'canvas' || each?.querySelector('canvas'))
