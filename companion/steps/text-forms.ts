import type { StepTools } from '../kernel/step.ts'
import { parseCsv, parseJson } from './parse.ts'

/** What a text from a file or a program is taken as. */
export const TEXT_FORMS = ['text', 'lines', 'json', 'ndjson', 'csv'] as const
export type TextForm = (typeof TEXT_FORMS)[number]

/** Fails with parse_failed. */
export async function readText(text: string, form: TextForm, ctx: StepTools): Promise<unknown> {
  const plain = text.replace(/^\uFEFF/, '')
  if (form === 'text') return plain
  if (form === 'lines') return linesOf(plain)
  const input = { ...ctx, data: plain }
  if (form === 'csv') return parseCsv.run(input, parseCsv.schema.parse({}))
  return parseJson.run(input, parseJson.schema.parse({ lines: form === 'ndjson' }))
}

/** Without the empty one after the last line's end. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Any value as text: text as it is, nothing as an empty text, all else as JSON. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
