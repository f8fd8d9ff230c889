import { tokensOf } from '../../shared/tokens.ts'
import type { Item } from './items.ts'
import type { SeenLine } from './line-diff.ts'
import { quote, shorten } from './text.ts'

/** What of a page's lines one answer has room for, and where the next one goes on. */

/** `whole` is every line in order, `acting` only what can be acted on. */
export type View = 'whole' | 'acting'

/**
 * Where a text was cut: the view, how many of its lines were told, and a mark of the last of them, by which the place
 * is found again when lines before it came or went.
 */
export interface Cursor {
  view: View
  lines: number
  mark: string
}

const CURSOR = /^d\d+([wa])(\d+)\.([0-9a-z]+)$/

export const cursorText = (document: number, { view, lines, mark }: Cursor): string =>
  `d${document}${view === 'whole' ? 'w' : 'a'}${lines}.${mark}`

/** Null for what is no cursor. */
export function parseCursor(text: string): Cursor | null {
  const [, view, lines, mark] = CURSOR.exec(text) ?? []
  if (lines === undefined || mark === undefined) return null
  return { view: view === 'w' ? 'whole' : 'acting', lines: Number(lines), mark }
}

/** A short hash of a line. */
export function markOf(key: string): string {
  let hash = 5381
  for (let at = 0; at < key.length; at += 1) hash = (Math.imul(hash, 33) ^ key.charCodeAt(at)) >>> 0
  return (hash % 1_679_616).toString(36)
}

/** Which line comes after the cursor: that after the nearest line with its mark, else after as many lines. */
export function startAfter(lines: readonly SeenLine[], cursor: Cursor): number {
  const last = cursor.lines - 1
  for (let away = 0; away < lines.length; away += 1) {
    for (const at of [last - away, last + away]) {
      const line = lines[at]
      if (line && markOf(line.key) === cursor.mark) return at + 1
    }
  }
  return Math.min(cursor.lines, lines.length)
}

export interface Page<L extends SeenLine> {
  lines: L[]
  texts: string[]
  tokens: number
}

/** As many lines from `start` as the budget has room for, at least one; with room for a last line if not all fit. */
export function pageOf<L extends SeenLine>(
  lines: readonly L[],
  start: number,
  budget: number,
  tail: number,
): Page<L> {
  const page: Page<L> = { lines: [], texts: [], tokens: 0 }
  /** Where the last line began that others may stand on: it is not torn where a page can end before it. */
  let whole = { lines: 0, tokens: 0 }
  for (const [at, line] of lines.entries()) {
    if (at < start) continue
    const last = line.joined ? page.texts.at(-1) : undefined
    if (last === undefined) whole = { lines: page.lines.length, tokens: page.tokens }
    const text = textOn(line, last, page.lines.at(-1))
    const tokens = tokensOf(text) + 1
    const room = budget - (at + 1 < lines.length ? tail : 0)
    if (page.lines.length > 0 && page.tokens + tokens > room) {
      if (last === undefined || whole.lines === 0) break
      return { lines: page.lines.slice(0, whole.lines), texts: page.texts.slice(0, -1), tokens: whole.tokens }
    }
    page.lines.push(line)
    if (last === undefined) page.texts.push(text)
    else page.texts[page.texts.length - 1] = last + text
    page.tokens += tokens
  }
  return page
}

/** What a line adds: a line of its own, or to the one that it stands on. */
function textOn(line: SeenLine, on: string | undefined, before: SeenLine | undefined): string {
  if (on === undefined) return `${'  '.repeat(line.depth)}${line.text}`
  return `${before?.joined === false ? ' ' : ', '}${line.text}`
}

/** What is around the first line of a later page, from the outside in; '' at the top. */
export function pathTo(lines: readonly { depth: number; item: Item }[], start: number): string {
  const names: string[] = []
  let depth = lines[start]?.depth ?? 0
  for (let at = start - 1; at >= 0 && depth > 0; at -= 1) {
    const line = lines[at]
    if (!line || line.depth >= depth) continue
    depth = line.depth
    if (line.item.kind === 'element') names.unshift(nameOfItem(line.item))
  }
  return names.join(' > ')
}

export const nameOfItem = ({ role, name }: { role: string; name: string }): string =>
  name === '' ? role : `${role} ${quote(shorten(name, 30))}`

/** Lines down to a depth; those above it say how many lines they hide. */
export function upToDepth<L extends SeenLine>(lines: readonly L[], depth: number): L[] {
  const shown: L[] = []
  let hidden = 0
  const settle = (): void => {
    const last = shown.at(-1)
    if (last && hidden > 0) shown[shown.length - 1] = { ...last, text: `${last.text} (+${hidden} lines)` }
    hidden = 0
  }
  for (const line of lines) {
    if (line.depth >= depth) hidden += 1
    else {
      settle()
      shown.push(line)
    }
  }
  settle()
  return shown
}
