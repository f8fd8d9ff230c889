import { inSlices, type Limit, type Slice, slice } from './clock.ts'
import { pageElement } from './dom.ts'
import { type ElementItem, type Extras, type Item, NO_EXTRAS } from './items.ts'
import type { SeenLine } from './line-diff.ts'
import { linesOf } from './outline.ts'
import type { Place, RefTable } from './refs.ts'
import { openModal } from './rendering.ts'
import { TreeWalk } from './tree.ts'

/** A line of the page as it is now. */
export interface PageLine extends SeenLine {
  item: Item
  /** Those whose refs stand in it. */
  named: ElementItem[]
}

export interface PageReading {
  items: Item[]
  /** The dialog that everything else is inert to; then it alone is read. */
  modal: Element | null
  writer: LineWriter
}

/** @param root null for the whole page */
export async function readPage(
  root: Element | null,
  refs: RefTable,
  limit: Limit,
  extras: Extras = NO_EXTRAS,
): Promise<PageReading> {
  const part = slice()
  const modal = openModal()
  const items = await inSlices(
    new TreeWalk(part, extras).read(root ?? modal ?? pageElement(), root !== null),
    part,
    limit,
  )
  return { items, modal, writer: new LineWriter(refs, root === null ? placesOf(items) : null, part, limit) }
}

/** Makes lines of items, and gives refs to those that act. */
export class LineWriter {
  readonly #refs: RefTable
  readonly #places: Map<Element, Place> | null
  readonly #part: Slice
  readonly #limit: Limit
  /** What got its ref just now, and is known as it is. */
  readonly #given = new Set<Element>()

  /** @param places null where only a part of the page is known */
  constructor(refs: RefTable, places: Map<Element, Place> | null, part: Slice, limit: Limit) {
    this.#refs = refs
    this.#places = places
    this.#part = part
    this.#limit = limit
  }

  lines(items: readonly Item[]): Promise<PageLine[]> {
    return inSlices(this.#write(items), this.#part, this.#limit)
  }

  /**
   * Takes note that these are what an agent was told of now. What it was not told of keeps the look by which it
   * knows it, so that a ref never comes to mean another thing unseen.
   */
  tell(lines: readonly PageLine[]): Promise<void> {
    return inSlices(this.#tell(lines), this.#part, this.#limit)
  }

  *#tell(lines: readonly PageLine[]): Generator<void, void> {
    for (const { named } of lines) {
      if (this.#part.over()) yield
      for (const item of named) if (!this.#given.has(item.element)) this.refOf(item)
    }
  }

  /** The item's ref, which from now on means what it is now. */
  refOf(item: ElementItem): string {
    return this.#refs.refOf(item.element, { ...item, place: this.#places?.get(item.element) ?? null })
  }

  #give(item: ElementItem): string {
    this.#given.add(item.element)
    return this.refOf(item)
  }

  *#write(items: readonly Item[]): Generator<void, PageLine[]> {
    const lines: PageLine[] = []
    let named: ElementItem[] = []
    const refText = (item: ElementItem): string => {
      named.push(item)
      return `[${this.#refs.known(item.element) ?? this.#give(item)}]`
    }
    let announcing = Number.POSITIVE_INFINITY
    for (const { text: body, item, depth, joined } of linesOf(items, refText)) {
      if (this.#part.over()) yield
      const role = item.kind === 'text' ? 'text' : item.role
      if (depth <= announcing) announcing = ANNOUNCING.has(role) ? depth : Number.POSITIVE_INFINITY
      lines.push({
        key: body.replace(PASSING, '').replace(/:$/, ''),
        text: body,
        depth,
        joined,
        ref: REF_IN_LINE.exec(body)?.[1] ?? null,
        role,
        announced: announcing <= depth,
        item,
        named,
      })
      named = []
    }
    return lines
  }
}

/** What is so for a moment only and says nothing of what the page is. */
const PASSING = / (?:focused|o(?:n|ff)-screen|covered|clipped|\[-?\d+,-?\d+,\d+,\d+\])(?=[ :,|]|$)/g

const REF_IN_LINE = /\[(d\d+e\d+)\]/
const ANNOUNCING = new Set(['alert', 'status', 'log', 'dialog', 'alertdialog', 'tooltip'])

/** For every element that acts: which one it is among those of its role and name, and of how many. */
function placesOf(items: readonly Item[]): Map<Element, Place> {
  const groups = new Map<string, ElementItem[]>()
  const visit = (list: readonly Item[]): void => {
    for (const item of list) {
      if (item.kind === 'text') continue
      if (item.acts) {
        const key = `${item.role} ${item.fullName}`
        const group = groups.get(key)
        if (group) group.push(item)
        else groups.set(key, [item])
      }
      visit(item.children)
    }
  }
  visit(items)
  const places = new Map<Element, Place>()
  for (const group of groups.values()) {
    for (const [nth, item] of group.entries()) places.set(item.element, { nth, of: group.length })
  }
  return places
}
