import { flatParent, isMatch } from './dom.ts'
import { isFormField } from './field-values.ts'
import type { ElementItem } from './items.ts'

/** What only style tells of an element: said in words of their own, since style proves nothing. */

const PALE = 0.6

/**
 * `disabled-looking`: it is pale, ignores the pointer, or the cursor says no. What is not drawn at all has no look:
 * widgets draw something else in its place, and a field that they keep behind it need not take the pointer.
 */
export function looksDisabled(element: Element, style: CSSStyleDeclaration): boolean {
  const opacity = Number.parseFloat(style.opacity)
  if (isFormField(element) && !element.checkVisibility({ checkOpacity: true })) return false
  return style.pointerEvents === 'none' || style.cursor === 'not-allowed' || (opacity > 0 && opacity <= PALE)
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
    const group = groups.get(key) ?? []
    // Kept in place: of very many alike, a copy for each would hold the page for minutes.
    group.push({ item, acting })
    groups.set(key, group)
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
  isMatch(item.element, ':hover, :focus-within') || isMatch(acting.element, ':hover, :focus-within')

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
