import { type CheerioAPI, load } from 'cheerio'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { Target } from '../../shared/values.ts'
import { defineStep } from '../kernel/step.ts'
import { firstGroup, Regex } from './regex.ts'
import { failOnWall } from './walls.ts'

const FieldForm = z
  .strictObject({
    selector: z.string().default('').describe('CSS, inside the row; empty for the row itself'),
    attribute: z.string().min(1).optional(),
    type: z.enum(['text', 'number', 'html', 'attribute']).default('text'),
    pattern: Regex.optional().describe('a regular expression: its first group, or all that matches'),
    multiple: z.boolean().default(false).describe('a list of all matches'),
    required: z.boolean().default(false).describe('fail where it is not there, rather than give null'),
  })
  .refine(({ type, attribute }) => type !== 'attribute' || attribute !== undefined, 'say which attribute')
const Field = z.union([z.string().transform(selector => FieldForm.parse({ selector })), FieldForm])
type FieldSpec = z.output<typeof FieldForm>

export const extract = defineStep({
  name: 'extract',
  doc: 'Read rows out of HTML by CSS selectors: from the text in data, or from the live page.',
  needs: ['browser'],
  effect: 'read',
  site: 'browser',
  isProminent: true,
  rareOptions: ['page'],
  schema: z.strictObject({
    from: z.string().optional().describe('CSS of one row; without it the page is one row'),
    fields: z.record(z.string(), Field).describe('name: CSS, or {selector, attribute, type, pattern, …}'),
    page: z.boolean().optional().describe('read the live page, even when data is HTML'),
    target: Target.optional(),
  }),
  example: {
    from: 'tr.story',
    fields: {
      title: 'a',
      url: { selector: 'a', attribute: 'href', required: true },
      points: { selector: '.score', type: 'number' },
      author: { selector: '.by', pattern: 'by (\\w+)' },
    },
  },
  exampleInput:
    '<table><tr class="story"><td><a href="/1">桥</a> <span class="score">1,204 points</span> <i class="by">by ann</i>' +
    '</td></tr></table>',
  exampleOutput: [{ title: '桥', url: '/1', points: 1204, author: 'ann' }],
  run: async (ctx, params) => {
    const html = typeof ctx.data === 'string' && params.page !== true ? ctx.data : null
    const source = html ?? (await ctx.browser.call('page.html', { target: params.target ?? null }, ctx)).html
    const $ = load(source)
    const rows = params.from === undefined ? [null] : $(params.from).toArray()
    const found = rows.map(row => rowOf($, row, params.fields))
    // Nothing at all where rows were expected: a wall in their place says more than a selector that missed.
    if (found.every(isVoid)) failOnWall({ url: ctx.scope.base, html: source })
    if (found.length === 0)
      throw new Failure('element_not_found', { target: `css=${params.from}`, nearest: [] })
    return params.from === undefined ? found[0] : found
  },
})

const isVoid = (row: Record<string, unknown>): boolean =>
  Object.values(row).every(value => value === null || (Array.isArray(value) && value.length === 0))

type Row = Parameters<CheerioAPI>[0] | null

const rowOf = ($: CheerioAPI, row: Row, fields: Record<string, FieldSpec>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf($, row, field)]))

function fieldOf($: CheerioAPI, row: Row, field: FieldSpec): unknown {
  const scope = row === null ? $.root() : $(row)
  const found = field.selector === '' ? scope : scope.find(field.selector)
  const values = found.toArray().map(element => readValue($, element, field))
  const value = field.multiple ? values : (values[0] ?? null)
  if (field.required && (value === null || values.length === 0))
    throw new Failure('element_not_found', { target: `css=${field.selector}`, nearest: [] })
  return value
}

/** Null where the element has no such attribute, number or match. */
function readValue(
  $: CheerioAPI,
  element: Parameters<CheerioAPI>[0],
  field: FieldSpec,
): string | number | null {
  const { type, pattern } = field
  const raw = rawValue($, element, field)
  const text = raw === null || pattern === undefined ? raw : firstGroup(pattern, raw)
  return text === null || type !== 'number' ? text : numberIn(text)
}

function rawValue(
  $: CheerioAPI,
  element: Parameters<CheerioAPI>[0],
  { attribute, type }: FieldSpec,
): string | null {
  const node = $(element)
  if (attribute !== undefined) return node.attr(attribute) ?? null
  return type === 'html' ? node.html() : node.text().replaceAll(/\s+/g, ' ').trim()
}

/** Digits with their grouping, wherever they stand: "1,234 points" is 1234. Full-width ones and the minus of print count. */
function numberIn(text: string): number | null {
  const plain = text.normalize('NFKC').replaceAll('\u2212', '-')
  const digits = /-?(?:\d[\d,\s]*(?:\.\d+)?|(?<!\d)\.\d+)/.exec(plain)?.[0].replaceAll(/[,\s]/g, '')
  return digits === undefined ? null : Number(digits)
}
