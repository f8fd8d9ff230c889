import { z } from 'zod'
import { text } from '../kernel/expression-values.ts'
import { defineStep } from '../kernel/step.ts'
import { parseFailure, textOf } from './fields.ts'
import { Regex, removeAll } from './regex.ts'

const Split = z.strictObject({
  record_separator: z
    .string()
    .min(1)
    .default('\n')
    .describe('between records; data that is a list has them already'),
  field_separator: z.string().min(1).optional().describe('between the fields of one record'),
  columns: z.array(z.string().min(1)).min(1).optional().describe('names of the fields; makes rows'),
  strip: Regex.optional().describe('a pattern that is removed from every field'),
  strip_prefix: z.string().optional(),
  strip_suffix: z.string().optional(),
  decode: z.enum(['uri']).optional().describe('uri: percent signs become characters'),
  trim: z.boolean().default(true),
  keep_empty: z.boolean().default(false).describe('keep records without any text'),
})
type SplitParams = z.output<typeof Split>

export const splitText = defineStep({
  name: 'split_text',
  aliases: ['split-text'],
  doc: 'Cut text into records, and records into fields or rows with named columns.',
  needs: [],
  effect: 'pure',
  schema: Split,
  example: { field_separator: '|', columns: ['name', 'size'] },
  exampleInput: '桥.txt | 12\nroads.txt | 7\n',
  exampleOutput: [
    { name: '桥.txt', size: '12' },
    { name: 'roads.txt', size: '7' },
  ],
  run: async ({ data }, params) => {
    const records = Array.isArray(data)
      ? data.map(item => textOf(item, 'split_text'))
      : textOf(data, 'split_text').split(params.record_separator)
    const kept = params.keep_empty ? records : records.filter(record => record.trim() !== '')
    return kept.map(record => recordFields(record, params))
  },
})

function recordFields(record: string, params: SplitParams): unknown {
  const { field_separator, columns } = params
  const fields = (field_separator === undefined ? [record] : record.split(field_separator)).map(field =>
    cleaned(field, params),
  )
  if (columns !== undefined)
    return Object.fromEntries(columns.map((name, index) => [name, fields[index] ?? null]))
  return field_separator === undefined ? fields[0] : fields
}

function cleaned(field: string, params: SplitParams): string {
  let out = params.trim ? field.trim() : field
  if (params.strip_prefix !== undefined && out.startsWith(params.strip_prefix))
    out = out.slice(params.strip_prefix.length)
  if (params.strip_suffix !== undefined && out.endsWith(params.strip_suffix))
    out = out.slice(0, out.length - params.strip_suffix.length)
  if (params.strip !== undefined) out = removeAll(params.strip, out)
  return params.decode === 'uri' ? uriDecoded(out) : out
}

function uriDecoded(field: string): string {
  try {
    return decodeURIComponent(field)
  } catch (cause) {
    throw parseFailure('A field of "split_text"', cause)
  }
}

const unrendered = { rendered: false }
const Text = z.string().meta(unrendered)
const Template = z.strictObject({
  text: Text.describe('a template over item and index, or over data where whole is set'),
  whole: z.boolean().default(false).describe('one text for all of the data, even when it is a list'),
  join: z.string().optional().describe('put between the texts of all rows, which makes one text of them'),
})

export const template = defineStep({
  name: 'template',
  doc: 'Write text from a template: one for every row, or one for all of them.',
  needs: [],
  effect: 'pure',
  schema: z.union([Text.transform(of => Template.parse({ text: of })), Template]).meta(unrendered),
  example: { text: '${{ index + 1 }}. ${{ item.title }}', join: '\n' },
  exampleInput: [{ title: '桥' }, { title: 'Roads' }],
  exampleOutput: '1. 桥\n2. Roads',
  run: async ({ data, renderer }, params) => {
    const fill = renderer(params.text)
    if (params.whole || !Array.isArray(data)) return text(fill(data, 0))
    const texts = data.map((item, index) => text(fill(item, index)))
    return params.join === undefined ? texts : texts.join(params.join)
  },
})
