import { stringify as toYaml } from 'yaml'
import type { Envelope } from '../../../../shared/envelope.ts'
import { isRecord } from '../../../../shared/json.ts'
import { written } from '../../../kernel/written.ts'
import type { Stream } from '../terminal.ts'
import { toCompact, toCompactRecord } from './compact.ts'
import { toCsv } from './csv.ts'
import { toMarkdown } from './markdown.ts'
import { cellText, entriesOf, rowsOf } from './rows.ts'
import { toTable } from './table.ts'
import { escapeC1, oneLine, printable } from './text.ts'

export const FORMATS = ['json', 'yaml', 'md', 'csv', 'compact', 'table'] as const
export type Format = (typeof FORMATS)[number]

export const FORMAT_DOCS: Readonly<Record<Format, string>> = {
  json: 'The whole envelope, also of a failure; in one line unless on a terminal.',
  yaml: 'The same as YAML.',
  md: 'The data as a Markdown table.',
  csv: 'The data with a header; text that a spreadsheet would run as a formula is led by an apostrophe.',
  compact: 'The data for a model: names once, one line a row, cells apart by tabs, nothing that is empty.',
  table: 'The data for a person, cut to the width of the terminal.',
}

/** json and yaml carry the whole envelope, also of a failure; the others the data alone. */
export const isStructured = (format: Format): boolean => format === 'json' || format === 'yaml'

/** Those that people read or keep: there nothing is cut to spare a model tokens. */
export const isForPeople = (format: Format): boolean =>
  format === 'table' || format === 'md' || format === 'csv'

export interface View {
  format: Format
  /** Values alone, one a line, whatever the format; a failure is told in the format. */
  bare?: boolean
  out: Stream
}

/** What goes to stdout, and remarks for stderr. */
export interface Presentation {
  out: string
  notes: string[]
}

/**
 * @param text how the answer looks to a person; `table` shows it in place of a table
 */
export function present(envelope: Envelope, view: View, text?: string): Presentation {
  const { ok, data, meta } = envelope
  if (ok && view.bare) return { out: bareLines(data), notes: meta.notes ?? [] }
  if (isStructured(view.format)) return { out: structured(written(envelope), view), notes: [] }
  if (!ok) return { out: '', notes: [] }
  const notes = [...(meta.notes ?? []), ...(meta.truncated === undefined ? [] : [meta.truncated])]
  if (text !== undefined && view.format === 'table') return { out: text, notes }
  const shown = tabular(data, view, meta.columns)
  return { out: shown.out, notes: [...notes, ...shown.notes] }
}

/** A value that holds a line break would be two. */
const bareLines = (data: unknown): string =>
  (Array.isArray(data) ? data : [data]).map(value => `${oneLine(cellText(value))}\n`).join('')

function structured(answer: object, { format, out }: View): string {
  if (format === 'yaml') {
    const yaml = toYaml(answer, { lineWidth: 0 })
    return out.tty ? printable(yaml) : yaml
  }
  // Somebody reads it on a terminal; a program is spared the white space.
  return `${escapeC1(JSON.stringify(answer, null, out.tty ? 2 : undefined))}\n`
}

function tabular(data: unknown, view: View, columns: readonly string[] | undefined): Presentation {
  if (Array.isArray(data)) return listed(data, view, columns)
  if (isRecord(data)) return recorded(data, view, columns)
  const text = cellText(data)
  if (view.format === 'csv') return { out: toCsv({ columns: ['value'], rows: [[data]] }), notes: [] }
  const shown = view.out.tty ? printable(text) : text
  return { out: shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`, notes: [] }
}

function listed(
  list: readonly unknown[],
  { format, out }: View,
  columns: readonly string[] | undefined,
): Presentation {
  const rows = rowsOf(list, columns)
  const notes = list.length === 0 ? ['Nothing was found.'] : []
  if (format === 'csv') return { out: toCsv(rows), notes }
  if (list.length === 0) return { out: '', notes }
  if (format === 'md') return { out: toMarkdown(rows), notes }
  if (format === 'compact') return { out: toCompact(rows), notes }
  const { text, hidden } = toTable(rows, out.width, out.paint)
  if (hidden.length > 0)
    notes.push(`Too narrow for ${hidden.join(', ')}: choose with --fields, or see all with -f json.`)
  return { out: text, notes }
}

function recorded(
  record: Record<string, unknown>,
  { format, out }: View,
  columns: readonly string[] | undefined,
): Presentation {
  const entries = entriesOf(record, columns)
  if (format === 'csv')
    return {
      out: toCsv({ columns: entries.map(([name]) => name), rows: [entries.map(([, value]) => value)] }),
      notes: [],
    }
  if (format === 'compact') return { out: toCompactRecord(entries), notes: [] }
  const rows = { columns: ['field', 'value'], rows: entries.map(([name, value]) => [name, value]) }
  if (format === 'md') return { out: toMarkdown(rows), notes: [] }
  return { out: toTable(rows, out.width, out.paint).text, notes: [] }
}
