import { type CheerioAPI, load } from 'cheerio'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { textOf } from './fields.ts'
import { uniqueNames } from './parse.ts'

type Element = Parameters<CheerioAPI>[0]
/** What a span may stand for, as browsers limit it too. */
const MAX_COLUMNS = 1000
const MAX_CELLS = 1_000_000

const ParseTable = z.strictObject({
  table: z.string().min(1).default('table').describe('CSS of the table'),
  index: z.number().int().min(0).default(0).describe('which of those that match'),
  header_rows: z
    .number()
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('default: the rows of thead, or the leading rows that hold nothing but th'),
  columns: z.array(z.string().min(1)).min(1).optional().describe('names, in place of those of the header'),
  attribute: z
    .string()
    .min(1)
    .optional()
    .describe('read this attribute within a cell where there is one, such as href, else its text'),
})
type Params = z.output<typeof ParseTable>

export const parseTable = defineStep({
  name: 'parse_table',
  doc: 'Turn a table of HTML into rows; cells that span rows or columns count in each, several header rows are one.',
  needs: [],
  effect: 'pure',
  schema: ParseTable,
  example: { table: 'table.prices' },
  exampleInput:
    '<table class="prices"><tr><th rowspan=2>City</th><th colspan=2>2024</th></tr><tr><th>Q1</th><th>Q2</th></tr>' +
    '<tr><td rowspan=2>北京</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>',
  exampleOutput: [
    { City: '北京', '2024 Q1': '1', '2024 Q2': '2' },
    { City: '北京', '2024 Q1': '3', '2024 Q2': '4' },
  ],
  run: async ({ data }, params) => {
    const $ = load(textOf(data, 'parse_table'))
    const table = $(params.table).get(params.index)
    if (table === undefined)
      throw new Failure('element_not_found', { target: `css=${params.table}`, nearest: [] })
    const rows = rowsOfTable($, table)
    const heads = params.header_rows ?? headerRows($, rows)
    const grid = gridOf($, rows, params)
    const names =
      params.columns ?? columnNames(grid.slice(0, heads), Math.max(0, ...grid.map(row => row.length)))
    return grid
      .slice(heads)
      .filter(row => row.some(cell => cell !== ''))
      .map(row => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])))
  },
})

/** Rows of the table itself, not of a table in a cell; head first and foot last, wherever they stand. */
function rowsOfTable($: CheerioAPI, table: Element): Element[] {
  const parts = ['thead', 'tbody', 'tfoot'].map(part => $(table).children(part).children('tr').toArray())
  return [...(parts[0] ?? []), ...$(table).children('tr').toArray(), ...(parts[1] ?? []), ...(parts[2] ?? [])]
}

function headerRows($: CheerioAPI, rows: readonly Element[]): number {
  const inHead = rows.filter(row => $(row).parent().is('thead')).length
  if (inHead > 0) return inHead
  const first = rows.findIndex(row => $(row).children('td').length > 0 || $(row).children('th').length === 0)
  return first === -1 ? rows.length : first
}

/** The texts of all cells, each in every place that it spans. */
function gridOf($: CheerioAPI, rows: readonly Element[], params: Params): string[][] {
  const grid: string[][] = rows.map(() => [])
  let cells = 0
  for (const [y, row] of rows.entries()) {
    let x = 0
    for (const cell of $(row).children('td, th').toArray()) {
      while (grid[y]?.[x] !== undefined) x++
      const text = textOfCell($, cell, params.attribute)
      const width = Math.min(spanOf($(cell).attr('colspan')) || 1, MAX_COLUMNS - x)
      // rowspan=0 reaches to the end.
      const height = Math.min(spanOf($(cell).attr('rowspan')) || rows.length, rows.length - y)
      cells += width * height
      if (cells > MAX_CELLS)
        throw new Failure('parse_failed', {
          what: 'The table',
          reason: `it has more than ${MAX_CELLS} cells`,
        })
      for (let down = 0; down < height; down++)
        for (let right = 0; right < width; right++) {
          const line = grid[y + down]
          if (line !== undefined) line[x + right] ??= text
        }
      x += width
    }
  }
  return grid.map(row => Array.from(row, cell => cell ?? ''))
}

const spanOf = (attribute: string | undefined): number => {
  const span = Number.parseInt(attribute ?? '1', 10)
  return Number.isNaN(span) || span < 0 ? 1 : span
}

function textOfCell($: CheerioAPI, cell: Element, attribute: string | undefined): string {
  const node = $(cell)
  if (attribute !== undefined) {
    const value = node.attr(attribute) ?? node.find(`[${attribute}]`).first().attr(attribute)
    if (value !== undefined) return value
  }
  const copy = node.clone()
  copy.find('script, style').remove()
  copy.find('br').replaceWith(' ')
  return copy.text().replaceAll(/\s+/g, ' ').trim()
}

/** The texts of the header above each column, without those that a span repeats. */
function columnNames(heads: readonly string[][], width: number): string[] {
  return uniqueNames(
    Array.from({ length: width }, (_, x) =>
      [...new Set(heads.map(row => row[x] ?? ''))].filter(Boolean).join(' '),
    ),
  )
}
