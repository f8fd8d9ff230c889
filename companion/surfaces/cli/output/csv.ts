import { stringify } from 'csv-stringify/sync'
import { cellText, type Rows } from './rows.ts'

const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^[+-]?[\d.,]+(?:e[+-]?\d+)?$/i

/**
 * RFC 4180 with a header. Text that a spreadsheet would run as a formula is led by an apostrophe, because what a
 * site sends is opened by double click; numbers, also negative ones, are left alone. JSON has the exact text.
 */
export const toCsv = ({ columns, rows }: Rows): string =>
  stringify([columns, ...rows.map(row => row.map(csvCell))])

function csvCell(value: unknown): string {
  const text = cellText(value)
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
}
