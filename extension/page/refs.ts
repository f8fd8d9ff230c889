import { shownRole } from './clickable.ts'
import { elementsIn, flatParent } from './dom.ts'
import { PageFailure } from './failure.ts'
import { nameOf } from './names.ts'
import { isRendered } from './rendering.ts'
import type { Role } from './role-table.ts'
import { quote, shorten, tidy } from './text.ts'

/** What an element was when its ref was given: enough to know it again, and to notice that it became another. */
interface Identity {
  role: Role
  name: string
  /** Text beside it, such as that of its row; tells one "Delete" from the next. */
  context: string
  /** Which one it is among those of its role and name in the whole document, and of how many. */
  place: Place | null
}

export interface Place {
  nth: number
  of: number
}

/** What a snapshot knows of an element. `place` is null when only a part of the document was read. */
export interface Known {
  role: Role
  fullName: string
  place: Place | null
}

interface Mark extends Identity {
  node: WeakRef<Element>
  tag: string
}

const REF = /^\[?d(\d+)e(\d+)\]?$/

export const isRef = (target: string): boolean => REF.test(target)

const MAX_NAME = 120
const SWEPT_AT_MARKS = 20_000

/**
 * Refs of one document. They live here, in the extension's own world: nothing is written into the page. A
 * number is never given twice; a node keeps its ref as long as both live.
 */
export class RefTable {
  #doc = 0
  #last = 0
  #numbers = new WeakMap<Element, number>()
  #marks = new Map<number, Mark>()
  #sweptAt = SWEPT_AT_MARKS

  /** The number of this document: the offered one if it has none yet. */
  numberOf(offered: number): number {
    if (this.#doc === 0) this.#doc = offered
    return this.#doc
  }

  get document(): number {
    return this.#doc
  }

  /** The element's ref, given now if it has none. */
  refOf(element: Element, { role, fullName, place }: Known): string {
    const number = this.#numbers.get(element) ?? this.#give(element)
    const identity = { role, name: shorten(fullName, MAX_NAME), context: contextOf(element), place }
    this.#marks.set(number, { node: new WeakRef(element), tag: element.localName, ...identity })
    return this.#text(number)
  }

  /** The ref that an element has already, as it was when it was last told of. */
  known(element: Element): string | null {
    const number = this.#numbers.get(element)
    return number === undefined ? null : this.#text(number)
  }

  /** Takes note that an element has changed by our own act, so that its ref goes on. */
  renew(element: Element): void {
    const number = this.#numbers.get(element)
    const mark = number === undefined ? undefined : this.#marks.get(number)
    if (!mark || !element.isConnected) return
    const role = shownRole(element)
    Object.assign(mark, { role, name: identityName(element, role) })
  }

  /** The element of a ref, found again after a re-render. Fails with ref_gone. */
  resolve(target: string): Element {
    const [, doc, number] = REF.exec(target) ?? []
    const ref = `d${doc}e${number}`
    const mark = this.#marks.get(Number(number))
    if (Number(doc) !== this.#doc) throw gone(ref, 'the page was loaded anew after that snapshot')
    if (!mark) throw gone(ref, 'no snapshot of this page gave it')
    const node = mark.node.deref()
    const same = node?.isConnected && isLike(node, mark) ? node : null
    if (same && (mark.place?.of === 1 || contextOf(same) === mark.context)) return same
    const found = searchFor(mark, same)
    const [only] = found
    if (only && found.length === 1) {
      this.#rebind(Number(number), only)
      return only
    }
    throw gone(ref, changeOf(mark, node, found.length))
  }

  #give(element: Element): number {
    if (this.#marks.size >= this.#sweptAt) this.#forgetCollected()
    this.#last += 1
    this.#numbers.set(element, this.#last)
    return this.#last
  }

  /** Pages that live long render many elements; those that no longer exist need no mark to be refused. */
  #forgetCollected(): void {
    for (const [number, mark] of this.#marks) if (!mark.node.deref()) this.#marks.delete(number)
    // Of a page with more elements than that none goes: looking again at each one that comes would take minutes.
    this.#sweptAt = Math.max(SWEPT_AT_MARKS, this.#marks.size * 2)
  }

  #rebind(number: number, element: Element): void {
    const mark = this.#marks.get(number)
    if (!mark) return
    mark.node = new WeakRef(element)
    // A later ref of the same element stays valid; snapshots go on with the older one.
    this.#numbers.set(element, number)
  }

  #text = (number: number): string => `d${this.#doc}e${number}`
}

const gone = (ref: string, reason: string): PageFailure => PageFailure.of('ref_gone', { ref, reason })

const identityName = (element: Element, role: Role): string => shorten(nameOf(element, role), MAX_NAME)

/** The same node may have become another thing: lists that re-render without keys reuse their nodes. */
function isLike(element: Element, mark: Mark): boolean {
  const role = shownRole(element)
  return role === mark.role && isSameName(identityName(element, role), mark.name)
}

/** Counts and endings may change (Inbox (3), Follow and Following), and single words of long texts. */
function isSameName(now: string, then: string): boolean {
  const [a, b] = [lettersOf(now), lettersOf(then)]
  if (a === b) return true
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  if (shorter !== '' && longer.startsWith(shorter) && !longer.slice(shorter.length).includes(' ')) return true
  return shorter.split(' ').length >= LONG_NAME_WORDS && sharedWords(a, b) >= 0.7
}

const LONG_NAME_WORDS = 5

const lettersOf = (text: string): string => tidy(text.toLowerCase().replace(/[^\p{L}]+/gu, ' '))

/** The share of words that two texts have in common, 0 to 1. */
function sharedWords(left: string, right: string): number {
  const words = new Set(left.split(' '))
  const others = right.split(' ')
  return others.filter(word => words.has(word)).length / Math.max(words.size, others.length)
}

/**
 * Elements that the mark may mean, given that its own node (`still`, when it is there and looks like it) stands
 * beside other content now, or is gone: best the one beside the same content, wherever that has moved.
 */
function searchFor(mark: Mark, still: Element | null): Element[] {
  const alike = elementsIn(document).filter(
    element => element.localName === mark.tag && isRendered(element) && isSame(element, mark),
  )
  if (mark.place?.of === 1 && alike.length <= 1) return alike
  const beside = alike.filter(element => contextOf(element) === mark.context)
  if (beside.length === 1) return beside
  const complete = mark.place === null || mark.place.of === alike.length
  const changed = still && beside.length === 0 && complete
  if (changed && sharedWords(contextOf(still), mark.context) >= 0.5) return [still]
  const there = complete && mark.place ? alike[mark.place.nth] : undefined
  return there && beside.includes(there) ? [there] : beside.length > 0 || !still ? alike : []
}

function isSame(element: Element, mark: Mark): boolean {
  const role = shownRole(element)
  return role === mark.role && identityName(element, role) === mark.name
}

function changeOf(mark: Mark, node: Element | undefined, alike: number): string {
  const was = described(mark.role, mark.name)
  if (alike > 1) return `${was} was rendered anew and ${alike} elements look like it now`
  if (!node?.isConnected) return `${was} was removed from the page`
  const role = shownRole(node)
  const now = described(role, identityName(node, role))
  return now === was ? `${was} stands beside other content now` : `it was ${was} and is ${now} now`
}

const described = (role: Role, name: string): string =>
  name === '' ? role : `${role} ${quote(shorten(name, 60))}`

const CONTEXT_LENGTH = 100
const CONTEXT_NODES = 200
const CONTEXT_STEPS = 8

/** Text beside the element in the nearest one around it that says more than itself. */
function contextOf(element: Element): string {
  const own = tidy(element.textContent)
  let at: Element | null = element
  for (let step = 0; at && step < CONTEXT_STEPS; step += 1) {
    at = flatParent(at)
    if (!at || at === document.body) break
    const text = openingText(at)
    if (text.length > own.length + 1) return tidy(text.replace(own, ' ')).slice(0, CONTEXT_LENGTH)
  }
  return ''
}

/** The first words in an element, without walking all of it. */
function openingText(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let count = 0; count < CONTEXT_NODES && text.length < CONTEXT_LENGTH * 2; count += 1) {
    const node = walker.nextNode()
    if (!node) break
    text += ` ${node.nodeValue ?? ''}`
    if (text.length > CONTEXT_LENGTH) text = tidy(text)
  }
  return tidy(text)
}
