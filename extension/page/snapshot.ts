import type { Snapshot } from '../../shared/values.ts'
import { inSlices, type Limit, slice } from './clock.ts'
import { pageElement } from './dom.ts'
import { interactiveOnly, lineCount, linesOf } from './outline.ts'
import type { Place, RefTable } from './refs.ts'
import { openModal } from './rendering.ts'
import { quote, shorten } from './text.ts'
import { type ElementItem, type Item, TreeWalk } from './tree.ts'

/** A frame of the page: the ref of its element, and which of the window's frames it is (-1 in a shadow tree). */
export interface FrameRef {
  ref: string
  index: number
}

export interface PageSnapshot extends Snapshot {
  frames: FrameRef[]
}

export interface SnapshotRequest {
  /** null for the whole page. */
  root: Element | null
  max_chars: number
  interactive: boolean
}

/** Kept free for the last line, which says what was left out. */
const TAIL_CHARS = 260
/** The least that is shown before the text is cut. */
const MIN_CHARS = 100

export async function takeSnapshot(
  request: SnapshotRequest,
  refs: RefTable,
  limit: Limit,
): Promise<PageSnapshot> {
  const part = slice()
  const whole = openModal() ?? pageElement()
  const items = await inSlices(new TreeWalk(part).read(request.root ?? whole), part, limit)
  const shown = request.interactive ? interactiveOnly(items) : items
  const writer = new Writer(refs, request.root === null ? placesOf(shown) : null)
  const written = await inSlices(
    writer.write(shown, request.max_chars, () => part.over()),
    part,
    limit,
  )
  return { ...written, url: location.href, title: document.title }
}

type Written = Pick<PageSnapshot, 'text' | 'refs' | 'truncated' | 'frames'>

class Writer {
  readonly #refs: RefTable
  readonly #places: Map<ElementItem, Place> | null
  readonly #frames: FrameRef[] = []
  #count = 0

  constructor(refs: RefTable, places: Map<ElementItem, Place> | null) {
    this.#refs = refs
    this.#places = places
  }

  /** Lines up to the budget; for the rest only how many there are and where to look on. */
  *write(items: Item[], budget: number, isOver: () => boolean): Generator<void, Written> {
    const lines: string[] = []
    const total = items.reduce((sum, item) => sum + lineCount(item), 0)
    let length = 0
    let counted = 0
    for (const line of linesOf(items, item => this.#refText(item))) {
      if (isOver()) yield
      const room = budget - (lines.length + 1 < total ? TAIL_CHARS : 0)
      if (lines.length > 0 && length + line.text.length + 1 > Math.max(MIN_CHARS, room)) {
        this.#count = counted
        break
      }
      lines.push(line.text)
      counted = this.#count
      length += line.text.length + 1
    }
    const truncated = lines.length < total
    if (truncated) lines.push(this.#tail(items, total - lines.length, lines.length))
    const text = lines.length === 0 ? '(the page shows nothing)' : lines.join('\n')
    return { text: shorten(text, budget), refs: this.#count, truncated, frames: this.#frames }
  }

  #refText(item: ElementItem): string {
    const ref = this.#refs.refOf(item.element, { ...item, place: this.#places?.get(item) ?? null })
    this.#count += 1
    if (item.role === 'iframe') this.#frames.push({ ref, index: frameIndex(item.element) })
    return `[${ref}]`
  }

  #tail(items: Item[], missing: number, written: number): string {
    const parts = partsAfter(items, written).map(part => {
      const ref = this.#refs.refOf(part.element, { ...part, place: null })
      const name = part.name === '' ? '' : ` ${quote(shorten(part.name, 30))}`
      return `target=${ref} (${part.role}${name})`
    })
    const how = parts.length > 0 ? parts.join(', ') : 'target=<ref> or a css= selector'
    return `… ${missing} more lines; snapshot one part with ${how}`
  }
}

const MAX_PARTS = 3
const MIN_PART_LINES = 3

/** The greatest parts that were not written at all, or else the innermost one that was cut. */
function partsAfter(items: readonly Item[], written: number): ElementItem[] {
  const whole: { item: ElementItem; lines: number }[] = []
  let cutItem: ElementItem | null = null
  const visit = (list: readonly Item[], start: number): void => {
    let at = start
    for (const item of list) {
      const lines = lineCount(item)
      if (item.kind === 'element' && item.children.length > 0 && at + lines > written) {
        if (at >= written && lines >= MIN_PART_LINES) whole.push({ item, lines })
        else if (at < written) {
          cutItem = item
          visit(item.children, at + 1)
        }
      }
      at += lines
    }
  }
  visit(items, 0)
  const greatest = whole.sort((a, b) => b.lines - a.lines).slice(0, MAX_PARTS)
  if (greatest.length > 0) return greatest.map(part => part.item)
  return cutItem ? [cutItem] : []
}

/** For every item that acts: which one it is among those of its role and name, and of how many. */
function placesOf(items: readonly Item[]): Map<ElementItem, Place> {
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
  const places = new Map<ElementItem, Place>()
  for (const group of groups.values()) {
    for (const [nth, item] of group.entries()) places.set(item, { nth, of: group.length })
  }
  return places
}

function frameIndex(element: Element): number {
  const inner = (element as HTMLIFrameElement).contentWindow
  for (let index = 0; index < window.length; index += 1) {
    if (inner !== null && window[index] === inner) return index
  }
  return -1
}
