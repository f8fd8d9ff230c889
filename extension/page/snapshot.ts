import { cutToTokens, tokensOf } from '../../shared/tokens.ts'
import type { Snapshot } from '../../shared/values.ts'
import type { Limit } from './clock.ts'
import { PageFailure } from './failure.ts'
import type { ElementItem, Extras, Item } from './items.ts'
import { interactiveOnly, lineCount } from './outline.ts'
import { type PageLine, type PageReading, readPage } from './page-lines.ts'
import {
  type Cursor,
  cursorText,
  markOf,
  nameOfItem,
  type Page,
  pageOf,
  parseCursor,
  pathTo,
  startAfter,
  upToDepth,
  type View,
} from './paging.ts'
import type { RefTable } from './refs.ts'
import type { Seen, SinceSnapshot } from './seen.ts'

/** A frame of the page: the ref of its element, and which of the window's frames it is (-1 in a shadow tree). */
export interface FrameRef {
  ref: string
  index: number
}

export interface PageSnapshot extends Snapshot {
  /** Of its text, about. */
  tokens: number
  frames: FrameRef[]
}

export interface SnapshotRequest extends Extras {
  /** null for the whole page. */
  root: Element | null
  max_tokens: number
  /** null: everything where there is room for it, else what can be acted on. */
  interactive: boolean | null
  /** How deep to go; null for all the way. */
  depth: number | null
  /** The cursor that an earlier snapshot gave; null for the beginning. */
  after: string | null
  /** Only what is different since the last snapshot of the whole page. */
  since: boolean
}

interface Context {
  refs: RefTable
  seen: Seen
}

/** Kept free for the last line, which says what was left out and how to see it. */
const TAIL_TOKENS = 70

export async function takeSnapshot(
  request: SnapshotRequest,
  context: Context,
  limit: Limit,
): Promise<PageSnapshot> {
  const changes = request.since ? await context.seen.sinceSnapshot(request.max_tokens, limit) : null
  if (changes !== null) return changesAsSnapshot(changes, context.refs)
  const { refs, seen } = context
  const { root } = request
  const reading = await readPage(root, refs, limit, request)
  const whole = await reading.writer.lines(reading.items)
  const shown = await chooseView(request, reading, whole)
  const cursor = cursorOf(request)
  const start = cursor === null ? 0 : startAfter(shown.lines, cursor)
  const page = pageOf(shown.lines, start, request.max_tokens, TAIL_TOKENS)
  await reading.writer.tell(page.lines)
  // What is told by the way only would look as if it were gone when it is not told of again.
  const isPlain = !request.boxes && !request.graphics
  if (root === null && cursor === null && isPlain) seen.remember(reading, whole)
  const end = start + page.lines.length
  const next = end < shown.lines.length ? cursorAt(shown, end, refs) : null
  const path = cursor === null ? '' : pathTo(shown.lines, start)
  const texts = [
    ...(path === '' ? [] : [`(goes on in ${path})`]),
    ...page.texts,
    ...tailOf({ ...shown, whole, page, end, next }, reading),
  ]
  const text = texts.length === 0 ? NOTHING : texts.join('\n')
  return {
    text: page.lines.length > 1 ? text : cutToTokens(text, request.max_tokens),
    refs: page.lines.reduce((sum, { named }) => sum + named.length, 0),
    truncated: next !== null || shown.lines.length < whole.length,
    ...(next === null ? {} : { next }),
    tokens: page.tokens,
    frames: page.lines.flatMap(({ named }) => framesAmong(named, refs)),
    url: location.href,
    title: document.title,
  }
}

const NOTHING = '(the page shows nothing)'

function changesAsSnapshot({ text, isCut, lines }: SinceSnapshot, refs: RefTable): PageSnapshot {
  return {
    text: text === '' ? '(nothing is different)' : text,
    refs: 0,
    truncated: isCut,
    tokens: tokensOf(text),
    frames: lines.flatMap(({ named }) => framesAmong(named, refs)),
    url: location.href,
    title: document.title,
  }
}

interface Shown {
  view: View
  items: readonly Item[]
  lines: readonly PageLine[]
}

function cursorOf({ after }: SnapshotRequest): Cursor | null {
  if (after === null) return null
  const cursor = parseCursor(after)
  if (cursor) return cursor
  const problem = `after: ${after} is not what an earlier snapshot gave as next`
  throw PageFailure.of('invalid_args', { operation: 'browser.snapshot', problems: [problem] })
}

async function chooseView(
  request: SnapshotRequest,
  { items, writer }: PageReading,
  whole: readonly PageLine[],
): Promise<Shown> {
  const { interactive, depth, max_tokens } = request
  const all: Shown = { view: 'whole', items, lines: depth === null ? whole : upToDepth(whole, depth) }
  const view = cursorOf(request)?.view ?? viewOf(interactive)
  if (view === 'whole') return all
  if (view === null && pageOf(all.lines, 0, max_tokens, 0).lines.length === all.lines.length) return all
  const acting = interactiveOnly(items)
  const lines = await writer.lines(acting)
  // A text in which there is nothing to act on is read from its beginning.
  if (view === null && lines.length === 0) return all
  return { view: 'acting', items: acting, lines: depth === null ? lines : upToDepth(lines, depth) }
}

const viewOf = (interactive: boolean | null): View | null =>
  interactive === null ? null : interactive ? 'acting' : 'whole'

function cursorAt({ view, lines }: Shown, end: number, refs: RefTable): string {
  const mark = markOf(lines[end - 1]?.key ?? '')
  return cursorText(refs.document, { view, lines: end, mark })
}

interface Cut extends Shown {
  whole: readonly PageLine[]
  page: Page<PageLine>
  end: number
  next: string | null
}

/** What is missing, and how to see it. */
function tailOf({ view, items, lines, whole, end, next }: Cut, { writer }: PageReading): string[] {
  const more = next === null ? '' : `… ${lines.length - end} more lines: after=${next}`
  const text = whole.length - lines.length
  const left = view === 'acting' && text > 0 ? `${text} lines of text are left out: interactive=false` : ''
  const parts = next === null ? [] : partsAfter(items, end)
  const how = parts.map(part => `target=${writer.refOf(part)} (${nameOfItem(part)})`)
  const words = [more, how.length > 0 ? `one part: ${how.join(', ')}` : '', left].filter(each => each !== '')
  return words.length === 0 ? [] : [`${more === '' ? '… ' : ''}${words.join('; ')}`]
}

function framesAmong(named: readonly ElementItem[], refs: RefTable): FrameRef[] {
  return named.flatMap(({ element, role }) => {
    const ref = role === 'iframe' ? refs.known(element) : null
    return ref === null ? [] : [{ ref, index: frameIndex(element) }]
  })
}

const MAX_PARTS = 2
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
