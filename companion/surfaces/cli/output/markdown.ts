import { markdownTable } from 'markdown-table'
import { cellText, type Rows } from './rows.ts'
import { printable, widthOf } from './text.ts'

export function toMarkdown({ columns, rows }: Rows): string {
  const table = [columns, ...rows].map(row => row.map(markdownCell))
  return `${markdownTable(table, { stringLength: widthOf })}\n`
}

/** A bar would open another column and a line break another row. */
const markdownCell = (value: unknown): string =>
  printable(cellText(value)).replaceAll('\\', '\\\\').replaceAll('|', '\\|').trim().replaceAll('\n', '<br>')
