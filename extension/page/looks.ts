import { elementAt, flatParent, holds } from './dom.ts'
import type { ElementItem } from './items.ts'

/** What only style tells of an element: said in words of their own, since style proves nothing. */

const PALE = 0.6

/** `disabled-looking`: it is pale, ignores the pointer, or the cursor says no. */
export function looksDisabled(style: CSSStyleDeclaration): boolean {
  return (
    style.pointerEvents === 'none' ||
    style.cursor === 'not-allowed' ||
    Number.parseFloat(style.opacity) <= PALE
  )
}

export const isStruck = (style: CSSStyleDeclaration): boolean =>
  style.textDecorationLine.includes('line-through')

/** A span that is underlined and coloured by itself looks like a link in the text around it. */
export function looksLikeLink(element: Element, style: CSSStyleDeclaration): boolean {
  if (element.localName !== 'span' && element.localName !== 'font') return false
  if (style.textDecorationLine !== 'underline' || style.textDecorationStyle !== 'solid') return false
  const parent = flatParent(element)
  return parent !== null && getComputedStyle(parent).color !== style.color
}

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
    if (hit === null || stands(hit, element)) return null
    hits.push(hit)
  }
  if (isClipped(element, box)) return 'clipped'
  // What is around it is hit between its lines and beside its round corners too.
  return hits.some(hit => holds(hit, element)) ? null : 'covered'
}

/** The element, something in it, or its label, which stands for it. */
function stands(hit: Element, element: Element): boolean {
  if (holds(element, hit)) return true
  const label = hit.closest('label')
  if (label?.control === element) return true
  return element.localName === 'label' && (element as HTMLLabelElement).control === hit
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

/** Where no scrolling leads: left of the page or above it. */
export function isOffPage(box: DOMRect): boolean {
  return box.width > 0 && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0)
}

const MIN_ALIKE = 3
const MAX_ALIKE = 60
const TOLD_STATES = /^(?:selected|current|checked|pressed|expanded)/

/**
 * Marks the one among at least three neighbours of a kind that is drawn otherwise than all the others: in a bar of
 * tabs that have no ARIA it is the current one. Says the word of its class where that tells.
 */
export function markOutstanding(items: readonly ElementItem[]): void {
  const groups = new Map<string, Unit[]>()
  for (const item of items) {
    const acting = actingIn(item)
    if (!acting) continue
    const key = `${item.role} ${acting.role} ${item.element.localName}`
    groups.set(key, [...(groups.get(key) ?? []), { item, acting }])
  }
  for (const units of groups.values()) {
    if (units.length < MIN_ALIKE || units.length > MAX_ALIKE) continue
    if (units.some(({ item }) => item.element.parentElement !== units[0]?.item.element.parentElement))
      continue
    if (units.some(({ acting }) => acting.states.some(state => TOLD_STATES.test(state)))) continue
    markOdd(units)
  }
}

interface Unit {
  item: ElementItem
  acting: ElementItem
}

const MARKED_ROLES = new Set(['link', 'tab', 'clickable', 'button', 'menuitem', 'option'])

/** The item itself, or the only thing in it. */
function actingIn(item: ElementItem): ElementItem | null {
  if (item.acts) return MARKED_ROLES.has(item.role) ? item : null
  const [only] = item.children
  if (item.children.length !== 1 || only?.kind !== 'element') return null
  return only.acts && MARKED_ROLES.has(only.role) ? only : null
}

function markOdd(units: readonly Unit[]): void {
  const counts = new Map<string, Unit[]>()
  for (const unit of units) {
    const drawn = drawingOf(unit)
    counts.set(drawn, [...(counts.get(drawn) ?? []), unit])
  }
  if (counts.size !== 2) return
  const [odd, rest] = [...counts.values()].sort((a, b) => a.length - b.length)
  const [unit] = odd ?? []
  if (!unit || odd?.length !== 1 || !rest || isUnderPointer(unit)) return
  const word = wordOf(unit, rest[0])
  // A button that differs may be the main one; without a word for it nothing is known.
  if (word !== null) unit.acting.states.push(`stands-out="${word}"`)
  else if (unit.acting.role !== 'button') unit.acting.states.push('stands-out')
}

function drawingOf({ item, acting }: Unit): string {
  return [...new Set([item.element, acting.element])]
    .map(element => {
      const style = getComputedStyle(element)
      const border = `${style.borderBottomWidth} ${style.borderBottomColor}`
      return `${style.backgroundColor} ${style.color} ${style.fontWeight} ${style.textDecorationLine} ${border}`
    })
    .join('; ')
}

const isUnderPointer = ({ item, acting }: Unit): boolean =>
  item.element.matches(':hover, :focus-within') || acting.element.matches(':hover, :focus-within')

const TELLING_WORDS = /(?:^|[-_])(active|selected|current|checked|chosen|open|on|highlighted?)$/i

/** The class that the odd one has and another has not. */
function wordOf({ item, acting }: Unit, other: Unit | undefined): string | null {
  const others = new Set([item, acting].flatMap(() => (other ? classesOf(other) : [])))
  const own = classesOf({ item, acting }).filter(name => !others.has(name))
  return own.map(name => TELLING_WORDS.exec(name)?.[1] ?? null).find(word => word !== null) ?? null
}

const classesOf = ({ item, acting }: Unit): string[] => [
  ...item.element.classList,
  ...acting.element.classList,
]
