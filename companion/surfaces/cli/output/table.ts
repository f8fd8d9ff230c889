import Table from 'cli-table3'
import type { Paint } from '../terminal.ts'
import { cellText, type Rows } from './rows.ts'
import { cut, oneLine, widthOf } from './text.ts'

const GAP = 2
/** A column narrower than this says nothing; rather than that, whole columns are left out. */
const NARROWEST = 6

const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(GAP),
}

export interface DrawnTable {
  text: string
  /** Columns for which the terminal is too narrow. */
  hidden: string[]
}

/**
 * One line a row, cut to the width of the terminal.
 *
 * @param width columns of the terminal; null to cut nothing
 */
export function toTable({ columns, rows }: Rows, width: number | null, paint: Paint): DrawnTable {
  const cells = rows.map(row => row.map(value => oneLine(cellText(value))))
  const natural = columns.map((name, at) =>
    cells.reduce((widest, row) => Math.max(widest, widthOf(row[at] ?? '')), widthOf(name)),
  )
  const widths = width === null ? natural : fitted(natural, width)
  const shown = columns.slice(0, widths.length)
  const table = new Table({
    head: shown.map((name, at) => paint.bold(cut(name, widths[at] ?? 0))),
    chars: BARE,
    colAligns: shown.map((_, at) => (isNumeric(rows, at) ? 'right' : 'left')),
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  })
  for (const row of cells) table.push(widths.map((limit, at) => cut(row[at] ?? '', limit)))
  const lines = table.toString().split('\n')
  return {
    text: `${lines.map(line => line.trimEnd()).join('\n')}\n`,
    hidden: columns.slice(widths.length),
  }
}

/** Widths that fit together: the widest columns give first; when that is not enough, the last ones go. */
export function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural]
  const room = () => width - GAP * (widths.length - 1)
  while (widths.length > 1 && total(widths.map(each => Math.min(each, NARROWEST))) > room()) widths.pop()
  // The highest limit under which they fit; what is left of the room goes to the cut columns from the left.
  let limit = Math.max(...widths)
  while (limit > 1 && total(widths.map(each => Math.min(each, limit))) > room()) limit -= 1
  let left = room() - total(widths.map(each => Math.min(each, limit)))
  return widths.map(each => (each > limit && left-- > 0 ? limit + 1 : Math.min(each, limit)))
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/** Numbers line up at their right ends. */
const isNumeric = (rows: readonly unknown[][], at: number): boolean =>
  rows.some(row => typeof row[at] === 'number') &&
  rows.every(row => typeof row[at] === 'number' || row[at] === null || row[at] === undefined)
