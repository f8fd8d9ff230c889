import type { ActContext } from './act-context.ts'
import { controlOf } from './clickable.ts'
import { checkLimit, type Limit, nextFrame, timeLeft } from './clock.ts'
import { ancestorsOf, labelsOf } from './dom.ts'
import { PageFailure } from './failure.ts'
import { hasEditContext, isInput } from './field-values.ts'
import { haveDrawn } from './hidden-tab.ts'
import { type Hit, type HitTest, hitTest, type Point } from './hit-test.ts'
import { awaitElement, locate } from './locate.ts'
import type { RefTable } from './refs.ts'
import { boxesOf, hasVisibility, isInert, isRendered, isVisible } from './rendering.ts'
import { disabledReason } from './states.ts'
import { type AmbientWatch, changeWithin } from './watch.ts'
import { inWords } from './wording.ts'

/** How long what is in the way is waited for. Overlays fade, buttons become enabled; a wrong target stays wrong. */
const PATIENCE_MS = 5000
/** Style and geometry change without any event. */
const RECHECK_MS = 100

export interface Ready {
  element: Element
  /** Where it can be clicked; it may be a label that stands for the element. */
  hit: Hit
}

export const notReady = (target: string, reason: string): PageFailure =>
  PageFailure.of('element_not_ready', { target, reason })

/**
 * Waits until the element is there, visible, at rest, enabled and reached by the pointer, anywhere or at a position
 * in it; scrolls it into view.
 *
 * @throws element_not_ready with the last reason, element_not_found, element_ambiguous, ref_gone, cancelled
 */
export async function awaitPointable(
  target: string | Element,
  { refs, limit, outside, ambient }: Pick<ActContext, 'refs' | 'limit' | 'outside' | 'ambient'>,
  position: Point | null = null,
): Promise<Ready> {
  const drawn = drawing(outside)
  return awaitCheck(target, refs, limit, async (element, attempt) => {
    const surface = surfaceOf(element)
    const reason =
      hiddenReason(surface) ??
      disabledReason(controlOf(element)) ??
      (await movesReason(surface, ambient, outside.isAttached))
    if (reason !== null) return await drawn(reason)
    let tested = hitTest(surface, position)
    if (!('hit' in tested)) {
      scrollTo(surface, attempt)
      await nextFrame()
      tested = hitTest(surface, position)
    }
    if (!('hit' in tested) && position === null) tested = hitLabel(element) ?? tested
    if (!('hit' in tested)) return await drawn(tested.obstacle)
    return (await outside.obstacleAt(tested.hit.point)) ?? { element, hit: tested.hit }
  })
}

/** How long what is in the way may take to go by itself in a tab that is not drawn. */
const UNDRAWN_MS = 300

function drawing(outside: ActContext['outside']): (reason: string) => Promise<string> {
  const since = Date.now()
  let isTried = false
  return async reason => {
    if (isTried || Date.now() - since < UNDRAWN_MS) return reason
    isTried = true
    await haveDrawn(outside)
    return reason
  }
}

/** Waits until the element is there, visible and enabled. It is not pointed at, so nothing can cover it. */
export async function awaitUsable(target: string, refs: RefTable, limit: Limit): Promise<Element> {
  const ready = await awaitCheck<{ element: Element }>(target, refs, limit, async element => {
    return hiddenReason(surfaceOf(element)) ?? disabledReason(controlOf(element)) ?? { element }
  })
  return ready.element
}

type Check<T> = (element: Element, attempt: number) => Promise<T | string>

async function awaitCheck<T extends object>(
  target: string | Element,
  refs: RefTable,
  limit: Limit,
  check: Check<T>,
): Promise<T> {
  let element = typeof target === 'string' ? await awaitElement(target, refs, limit) : target
  const end = Date.now() + Math.min(PATIENCE_MS, timeLeft(limit))
  for (let attempt = 0; ; attempt += 1) {
    const result = await check(element, attempt)
    if (typeof result !== 'string') return result
    if (limit.signal.aborted) checkLimit(limit)
    if (Date.now() >= end) throw notReady(typeof target === 'string' ? target : inWords(target), result)
    await changeWithin(Math.min(RECHECK_MS, Math.max(1, end - Date.now())), limit.signal)
    if (!element.isConnected && typeof target === 'string') element = locate(target, refs)
  }
}

const STOOD_FOR = new Set(['checkbox', 'radio', 'file'])

/** What one points at in place of the element: the label of a checkbox, radio or file field that is not drawn. */
function surfaceOf(element: Element): Element {
  if (!isInput(element) || !STOOD_FOR.has(element.type) || isVisible(element)) return element
  return labelsOf(element).find(isVisible) ?? element
}

/** A box that is drawn, yet under something else, is checked by its label. */
function hitLabel(element: Element): HitTest | null {
  if (!isInput(element) || !STOOD_FOR.has(element.type)) return null
  const tests = labelsOf(element)
    .filter(isVisible)
    .map(label => hitTest(label))
  return tests.find(test => 'hit' in test) ?? null
}

function hiddenReason(element: Element): string | null {
  if (element.localName === 'option')
    return 'it is an option of a drop-down list: type its label into the list instead'
  if (!isRendered(element)) return 'it is not shown (display: none, or in something closed)'
  if (!hasVisibility(element)) return 'it is invisible (visibility: hidden)'
  if (boxesOf(element).length === 0 && !hasEditContext(element)) return 'it has no size'
  return isInert(element) ? 'it is inert: a modal dialog or the page itself cuts it off' : null
}

/**
 * The box must be the same in two frames one after the other. A script's events reach the element wherever it is:
 * for them it is enough that nothing is known to move it.
 */
async function movesReason(
  element: Element,
  ambient: AmbientWatch,
  isExact: boolean,
): Promise<string | null> {
  if (!isExact && !ambient.hasRhythm() && !isAnimated(element)) return null
  await nextFrame()
  const before = element.getBoundingClientRect()
  await nextFrame()
  const after = element.getBoundingClientRect()
  const rests =
    before.x === after.x &&
    before.y === after.y &&
    before.width === after.width &&
    before.height === after.height
  return rests ? null : 'it is moving'
}

/** Whether an animation or transition runs on it, on what is around it, or anywhere in the documents of these. */
function isAnimated(element: Element): boolean {
  const roots = new Set([element, ...ancestorsOf(element)].map(each => each.getRootNode()))
  return [...roots].some(root => {
    const animations = root instanceof Document || root instanceof ShadowRoot ? root.getAnimations() : []
    return animations.some(({ playState }) => playState === 'running')
  })
}

/** Other ways at each attempt, since sticky headers and footers may cover any of them. */
const BLOCKS: ScrollLogicalPosition[] = ['nearest', 'center', 'end', 'start']

function scrollTo(element: Element, attempt: number): void {
  const block = BLOCKS[attempt % BLOCKS.length] ?? 'nearest'
  element.scrollIntoView({ block, inline: block === 'nearest' ? 'nearest' : 'center', behavior: 'instant' })
}
