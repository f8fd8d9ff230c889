import { isActedOn, shownRole } from './clickable.ts'
import { ancestorsOf, elementAt, elementsIn, flatParent, holds, isMatch, nearest } from './dom.ts'
import { isInput } from './field-values.ts'
import { isAriaHidden, isVisible } from './rendering.ts'

/** Whether the pointer reaches an element where it is drawn, or by what is drawn in its place. */

/** The target itself, something in it, or what stands for it where a person points. */
export function reaches(hit: Element, target: Element): boolean {
  if (holds(target, hit)) return true
  const label = hit.closest('label')
  if (label?.control && label.control === target) return true
  if (target.localName === 'label' && (target as HTMLLabelElement).control === hit) return true
  return sharesControl(hit, target) || isDrawnBy(hit, target)
}

const acts = (element: Element): boolean => isActedOn(element, shownRole(element))

/** What lies over the words of a button, in that button: a click on either is a click on the button. */
function sharesControl(hit: Element, target: Element): boolean {
  const owner = nearest(target, acts)
  return owner !== null && owner !== target && holds(owner, hit) && nearest(hit, acts) === owner
}

const MAX_LEVELS = 4

/** The few elements around a control that hold no other, from the inside out: what a widget draws for it is in there. */
export function* aloneAround(control: Element): Generator<Element> {
  let level = 0
  for (const around of ancestorsOf(control)) {
    level += 1
    if (level > MAX_LEVELS || around === document.body || hasOthers(around, control)) return
    yield around
  }
}

/** Whether the hit is what a widget draws in place of a control of its own that cannot be seen as it is. */
function isDrawnBy(hit: Element, target: Element): boolean {
  if (shownRole(target) !== 'combobox' && !isUndrawn(target)) return false
  for (const around of aloneAround(target)) if (holds(around, hit)) return !isInsideActing(hit, around)
  return false
}

const SMALLEST = 2

/** An input of a widget, made see-through, tiny or cut to nothing by its style. */
function isUndrawn(element: Element): boolean {
  if (!isInput(element)) return false
  const { opacity, clip, clipPath } = getComputedStyle(element)
  const { width, height } = element.getBoundingClientRect()
  const isCut = clip.startsWith('rect(') || clipPath.startsWith('inset(')
  return opacity === '0' || isCut || width <= SMALLEST || height <= SMALLEST
}

/** Something of its own between the hit and the wrapper: a button that clears, a chip. */
function isInsideActing(hit: Element, wrapper: Element): boolean {
  for (let at: Element | null = hit; at && at !== wrapper; at = flatParent(at)) if (acts(at)) return true
  return false
}

/** Controls beside the target that one may mean as well. */
const hasOthers = (around: Element, control: Element): boolean =>
  elementsIn(around).some(each => isControl(each) && !holds(control, each) && !holds(each, control))

/** Fields that widgets keep for forms alone are for nobody. */
const isControl = (element: Element): boolean =>
  element.getAttribute('role') === 'combobox' ||
  ((isInput(element) || isMatch(element, 'select, textarea')) && isVisible(element) && !isAriaHidden(element))

/** Whether the pointer would reach what is within the viewport. Null where it would, or where it is not within. */
export function coverState(element: Element): 'covered' | 'clipped' | null {
  const box = element.getBoundingClientRect()
  if (box.width < 1 || box.height < 1) return null
  const spots = [0.5, 0.25, 0.75].map(part => ({
    x: box.left + box.width * part,
    y: box.top + box.height * 0.5,
  }))
  const seen = spots.filter(({ x, y }) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight)
  if (seen.length === 0) return null
  const hits: Element[] = []
  for (const { x, y } of seen) {
    const hit = elementAt(x, y)
    if (hit === null || reaches(hit, element)) return null
    hits.push(hit)
  }
  if (isClipped(element, box)) return 'clipped'
  // What is around it is hit between its lines and beside its round corners too.
  return hits.some(hit => holds(hit, element)) ? null : 'covered'
}

const CLIP_STEPS = 12

/** Out of the box of something around it that shows no more than its box. */
function isClipped(element: Element, box: DOMRect): boolean {
  let at = flatParent(element)
  for (let step = 0; at && step < CLIP_STEPS; step += 1, at = flatParent(at)) {
    if (getComputedStyle(at).overflow === 'visible') continue
    const around = at.getBoundingClientRect()
    const outside =
      box.right <= around.left ||
      box.left >= around.right ||
      box.bottom <= around.top ||
      box.top >= around.bottom
    if (outside) return true
  }
  return false
}
