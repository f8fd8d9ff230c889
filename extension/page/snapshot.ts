import type { Snapshot } from '../../shared/values.ts'
import type { Limit } from './clock.ts'
import { interactiveOnly, lineCount } from './outline.ts'
import { type LineWriter, type PageLine, readPage } from './page-lines.ts'
import type { RefTable } from './refs.ts'
import type { Seen } from './seen.ts'
import { quote, shorten } from './text.ts'
import type { ElementItem, Item } from './tree.ts'

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
  { refs, seen }: { refs: RefTable; seen: Seen },
  limit: Limit,
): Promise<PageSnapshot> {
  const { root, interactive, max_chars } = request
  const reading = await readPage(root, refs, limit)
  const whole = await reading.writer.lines(reading.items)
  const items = interactive ? interactiveOnly(reading.items) : reading.items
  const lines = interactive ? await reading.writer.lines(items) : whole
  const written = write(lines, items, max_chars, reading.writer)
  const shown = lines.slice(0, written.lines)
  await reading.writer.tell(shown)
  if (root === null) seen.remember(reading, whole)
  const frames = shown.flatMap(({ named }) => framesAmong(named, refs))
  const { text, truncated } = written
  return { text, refs: written.refs, truncated, frames, url: location.href, title: document.title }
}

interface Written {
  text: string
  /** How many lines are in it, but for the last one that says what is missing. */
  lines: number
  refs: number
  truncated: boolean
}

/** Lines up to the budget; for the rest only how many there are and where to look on. */
function write(
  lines: readonly PageLine[],
  items: readonly Item[],
  budget: number,
  writer: LineWriter,
): Written {
  const texts: string[] = []
  let length = 0
  for (const { text: body, depth } of lines) {
    const text = `${'  '.repeat(depth)}- ${body}`
    const room = budget - (texts.length + 1 < lines.length ? TAIL_CHARS : 0)
    if (texts.length > 0 && length + text.length + 1 > Math.max(MIN_CHARS, room)) break
    texts.push(text)
    length += text.length + 1
  }
  const count = texts.length
  const truncated = count < lines.length
  if (truncated) texts.push(tailText(items, lines.length - count, count, writer))
  const text = texts.length === 0 ? '(the page shows nothing)' : texts.join('\n')
  const refs = lines.slice(0, count).reduce((sum, { named }) => sum + named.length, 0)
  return { text: shorten(text, budget), lines: count, refs, truncated }
}

function framesAmong(named: readonly ElementItem[], refs: RefTable): FrameRef[] {
  return named.flatMap(({ element, role }) => {
    const ref = role === 'iframe' ? refs.known(element) : null
    return ref === null ? [] : [{ ref, index: frameIndex(element) }]
  })
}

function tailText(items: readonly Item[], missing: number, written: number, writer: LineWriter): string {
  const parts = partsAfter(items, written).map(part => {
    const name = part.name === '' ? '' : ` ${quote(shorten(part.name, 30))}`
    return `target=${writer.refOf(part)} (${part.role}${name})`
  })
  const how = parts.length > 0 ? parts.join(', ') : 'target=<ref> or a css= selector'
  return `… ${missing} more lines; snapshot one part with ${how}`
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

function frameIndex(element: Element): number {
  const inner = (element as HTMLIFrameElement).contentWindow
  for (let index = 0; index < window.length; index += 1) {
    if (inner !== null && window[index] === inner) return index
  }
  return -1
}
