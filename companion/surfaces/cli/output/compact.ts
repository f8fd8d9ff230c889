import { cellText, type Rows } from './rows.ts'
import { oneLine } from './text.ts'

/**
 * The fewest tokens: the names once, then one line a row, cells apart by a tab. Columns that are empty in every row
 * are left out, and so are the empty cells at a line's end.
 */
export function toCompact({ columns, rows }: Rows): string {
  const cells = rows.map(row => row.map(value => oneLine(cellText(value))))
  const kept = columns.flatMap((_, at) => (cells.some(row => row[at] !== '') ? [at] : []))
  const lines = [columns, ...cells].map(row =>
    kept
      .map(at => row[at] ?? '')
      .join('\t')
      .trimEnd(),
  )
  return rows.length === 0 ? '' : `${lines.join('\n')}\n`
}

/** `name: value`, one a line, the empty ones left out. */
export function toCompactRecord(entries: readonly [string, unknown][]): string {
  return entries
    .map(([name, value]) => [name, oneLine(cellText(value))] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `${name}: ${text}\n`)
    .join('')
}
