import type { Verdict } from '../../shared/values.ts'
import { ancestorsOf, holds, isElement } from './dom.ts'
import { type Change, DECORATION, elementOf, LIVE } from './evidence.ts'
import type { Point } from './hit-test.ts'
import type { Effect } from './observe.ts'
import { isRendered } from './rendering.ts'
import { inWords } from './wording.ts'

export interface Judgement {
  verdict: Verdict
  /** Where it is now, in words; null where it was. */
  moved: string | null
  note: string | null
}

interface Ended {
  effects: readonly Effect[]
  changes: readonly Change[]
  taken: boolean | null
  end: Point
}

interface Place {
  parent: Element | null
  index: number
  x: number
  y: number
}

/** Effects that no page has without having taken what was dropped. */
const TELLING: ReadonlySet<Effect> = new Set([
  'navigation',
  'download',
  'dialog',
  'value',
  'checked',
  'network',
])
/** Whoever follows the first move and then loses the pointer stays so near to where it was. */
const NUDGE = 6
const ELSEWHERE = 'it is not where it was dropped: the place did not take it, and it was put down on the way'
const MAX_CHILDREN = 500

/**
 * Whether something that was dragged was taken where it was dropped. Pages that refuse it still say so, put it down
 * on the way, or leave their marks on it; none of that is the effect that was wanted.
 */
export class DropEvidence {
  readonly #source: Element
  readonly #goal: Element | null
  readonly #before: Place
  readonly #text: string
  /** How lists looked before, by what they hold. */
  readonly #lists: Map<Element, string>
  readonly #path: { around: Element; index: number }[]

  constructor(source: Element, goal: Element | null) {
    this.#source = source
    this.#goal = goal
    this.#before = placeOf(source)
    this.#text = textOf(source)
    this.#path = pathOf(source)
    const lists = [source.parentElement, goal, goal?.parentElement ?? null]
    this.#lists = new Map(lists.flatMap(list => (list ? [[list, childrenOf(list)]] : [])))
  }

  judge({ effects, changes, taken, end }: Ended): Judgement {
    const now = this.#sourceNow()
    const moved = now === null ? null : movedSince(this.#before, now)
    const isTold = effects.some(effect => TELLING.has(effect))
    if (this.#goal === null) {
      const isDone = isTold || (now !== null && isCarried(this.#before, now)) || changes.some(isPlain)
      return { verdict: isDone ? 'confirmed' : 'unconfirmed', moved, note: null }
    }
    if (now !== null && moved !== null) {
      const isSorted = this.#isSorted(now)
      if (this.#isAt(now, end, isSorted)) return { verdict: 'confirmed', moved, note: null }
      // What was put down on its way has not come to where it was dropped, whatever else may have changed.
      if (isSorted) return { verdict: 'unconfirmed', moved, note: ELSEWHERE }
    }
    const hasEffect = isTold || now === null || changes.some(change => this.#isTaking(change))
    return { verdict: taken !== false && hasEffect ? 'confirmed' : 'unconfirmed', moved, note: null }
  }

  /** The element, or the one that took its place where the page made its list anew; null where it is gone. */
  #sourceNow(): Element | null {
    if (this.#source.isConnected) return isRendered(this.#source) ? this.#source : null
    const kept = this.#path.findIndex(({ around }) => around.isConnected)
    const top = this.#path[kept]
    if (top === undefined) return null
    // The outermost one that stayed, then down the way on which the element was.
    const down = this.#path.slice(1, kept + 1).reverse()
    const parent = down.reduce<Element | null>((at, { index }) => at?.children[index] ?? null, top.around)
    const twins = [...(parent?.children ?? [])].filter(each => textOf(each) === this.#text)
    return twins[0] ?? null
  }

  /** In another list, or at another place among the same neighbours: not pushed aside by what came or went. */
  #isSorted(source: Element): boolean {
    const list = source.parentElement
    const before = list === null ? undefined : this.#lists.get(list)
    if (list === null || before === undefined || list !== this.#before.parent) return true
    return childrenOf(list) !== before && inOrder(childrenOf(list)) === inOrder(before)
  }

  /** Under the point at which it was let go; what was sorted may also lie beside the goal, or in it. */
  #isAt(source: Element, end: Point, isSorted: boolean): boolean {
    const goal = this.#goal
    const list = source.parentElement
    if (goal === null) return false
    // Sorted into another place of its own list, when another list was meant.
    if (isSorted && list && list === this.#before.parent && !holds(list, goal) && !holds(goal, list))
      return false
    const { left, top, right, bottom, width, height } = source.getBoundingClientRect()
    const slack = isSorted ? 0.5 : 0
    const isUnder =
      end.x >= left - width * slack &&
      end.x <= right + width * slack &&
      end.y >= top - height * slack &&
      end.y <= bottom + height * slack
    return isUnder || (isSorted && (holds(goal, source) || areBeside(source, goal)))
  }

  #isTaking({ record }: Change): boolean {
    const target = elementOf(record.target)
    const goal = this.#goal
    if (target === null || goal === null) return false
    const isIn = holds(goal, target)
    if (!isIn && target.closest(LIVE)) return false
    if (record.type === 'attributes') return isIn && !DECORATION.test(record.attributeName ?? '')
    const isOfSource = holds(this.#source, target)
    if (record.type === 'characterData') return isIn || isOfSource
    const before = this.#lists.get(target)
    if (before !== undefined) return childrenOf(target) !== before
    const nodes = [...record.addedNodes, ...record.removedNodes]
    return nodes.some(node => (isElement(node) ? this.#isNews(node) : isIn || isOfSource))
  }

  /** Something that came or went, and is no message that floats above the page. */
  #isNews(element: Element): boolean {
    if (element === this.#source || holds(element, this.#source)) return false
    return !element.isConnected || !isFloating(element)
  }
}

/** A change that is not just told to screen readers. */
function isPlain({ record }: Change): boolean {
  const live = elementOf(record.target)?.closest(LIVE)
  return !live || !isUnseen(live)
}

/** Drawn for screen readers alone. */
function isUnseen(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect()
  return width * height <= 4
}

const isFloating = (element: Element): boolean =>
  element.closest(LIVE) !== null ||
  [element, ...ancestorsOf(element)].some(each => getComputedStyle(each).position === 'fixed')

/** Neighbours in what is around both. */
function areBeside(one: Element, other: Element): boolean {
  const around = [...ancestorsOf(one)].find(each => holds(each, other))
  if (around === undefined) return false
  const drawn = [...around.children].filter(isRendered)
  const places = [one, other].map(each => drawn.findIndex(child => holds(child, each)))
  const [first = -1, second = -1] = places
  return first >= 0 && second >= 0 && Math.abs(first - second) <= 1
}

const textOf = (element: Element): string => `${element.localName} ${element.textContent}`

const childrenOf = (list: Element): string =>
  [...list.childNodes]
    .slice(0, MAX_CHILDREN)
    .map(child => `${child.nodeName} ${child.textContent}`)
    .join('\n')

const inOrder = (children: string): string => children.split('\n').sort().join('\n')

function pathOf(element: Element): { around: Element; index: number }[] {
  const path: { around: Element; index: number }[] = []
  let at = element
  for (const around of ancestorsOf(element)) {
    path.push({ around, index: [...around.children].indexOf(at) })
    at = around
  }
  return path
}

function placeOf(element: Element): Place {
  const { left, top } = element.getBoundingClientRect()
  const parent = element.parentElement
  const index = parent === null ? 0 : [...parent.children].indexOf(element)
  return { parent, index, x: left + window.scrollX, y: top + window.scrollY }
}

/** In words; null where it is where it was. */
function movedSince(before: Place, element: Element): string | null {
  const now = placeOf(element)
  if (now.parent !== before.parent && before.parent?.isConnected)
    return now.parent === null ? null : `now item ${now.index + 1} of ${inWords(now.parent)}`
  if (now.index !== before.index) return `item ${before.index + 1} is now item ${now.index + 1}`
  const [x, y] = wayBetween(before, now)
  return Math.abs(x) + Math.abs(y) < 2 ? null : `moved by ${x}, ${y} pixels`
}

const wayBetween = (before: Place, now: Place): [x: number, y: number] => [
  Math.round(now.x - before.x),
  Math.round(now.y - before.y),
]

/** Into another place of a list, or further than the first small move went. */
function isCarried(before: Place, element: Element): boolean {
  const now = placeOf(element)
  if (now.parent !== before.parent || now.index !== before.index) return true
  const [x, y] = wayBetween(before, now)
  return Math.abs(x) > NUDGE || Math.abs(y) > NUDGE
}
