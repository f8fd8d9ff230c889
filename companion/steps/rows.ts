import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'
import { rowsOf } from './fields.ts'
import { Locale } from './locale.ts'
import { isJsonPath, jsonPathProblem, query, reacher, walk } from './paths.ts'

const ROWS = [
  { title: 'Bridges', score: 7 },
  { title: '桥', score: 31 },
  { title: 'Roads', score: 12 },
]

const Path = z
  .string()
  .min(1)
  .superRefine((path, context) => {
    const problem = isJsonPath(path) ? jsonPathProblem(path) : null
    if (problem !== null) context.addIssue({ code: 'custom', message: `no JSONPath: ${problem}` })
  })

export const select = defineStep({
  name: 'select',
  doc: 'Go to the value at a dot path, such as "data.items.0.name", or at a JSONPath of RFC 9535, which starts with "$".',
  needs: [],
  effect: 'pure',
  schema: Path,
  example: '$..items[?@.score > 10].title',
  exampleInput: { page: 1, items: ROWS },
  exampleOutput: ['桥', 'Roads'],
  run: async ({ data }, path) => (isJsonPath(path) ? query(data, path) : walk(data, path)),
})

export const map = defineStep({
  name: 'map',
  doc: 'Make a row of every item; each field is a template over item and index.',
  needs: [],
  effect: 'pure',
  schema: z.record(z.string(), z.unknown()).meta({ rendered: false }),
  example: { title: '${{ item.title }}', rank: '${{ index + 1 }}' },
  exampleInput: ROWS,
  exampleOutput: [
    { title: 'Bridges', rank: 1 },
    { title: '桥', rank: 2 },
    { title: 'Roads', rank: 3 },
  ],
  run: async ({ data, renderer }, fields) => {
    const row = renderer(fields)
    // One object becomes one row: an answer about one thing needs no list around it.
    return Array.isArray(data) ? data.map(row) : row(data, 0)
  },
})

export const filter = defineStep({
  name: 'filter',
  doc: 'Keep the items for which the expression holds.',
  needs: [],
  effect: 'pure',
  schema: z.string().min(1).meta({ expression: true }),
  example: 'item.score > 10',
  exampleInput: ROWS,
  exampleOutput: [ROWS[1], ROWS[2]],
  run: async ({ data, evaluator }, expression) => rowsOf(data, 'filter').filter(evaluator(expression)),
})

const SortBy = z.strictObject({
  by: z.string().default('').describe('dot path of a field; empty for the items themselves'),
  order: z.enum(['asc', 'desc']).default('asc'),
  locale: Locale.default('en').describe('whose alphabet; "zh" orders by pinyin'),
})

export const sort = defineStep({
  name: 'sort',
  doc: 'Order rows by a field; numbers by size, text by the alphabet; rows without it come last.',
  needs: [],
  effect: 'pure',
  schema: z.union([z.string().transform(by => SortBy.parse({ by })), SortBy]),
  example: { by: 'score', order: 'desc' },
  exampleInput: ROWS,
  exampleOutput: [ROWS[1], ROWS[2], ROWS[0]],
  run: async ({ data }, { by, order, locale }) => {
    const sign = order === 'asc' ? 1 : -1
    const keyOf = reacher(by)
    const keyed = rowsOf(data, 'sort').map(row => ({ row, key: keyOf(row) }))
    if (keyed.every(hasNumber)) keyed.sort((a, b) => sign * (a.key - b.key))
    else keyed.sort(comparison(sign, locale))
    return keyed.map(({ row }) => row)
  },
})

interface Keyed<K = unknown> {
  row: unknown
  key: K
}

const hasNumber = (keyed: Keyed): keyed is Keyed<number> => typeof keyed.key === 'number'

/** Numbers by size, else by the alphabet; what is missing comes last in either direction. */
function comparison(sign: number, locale: string): (a: Keyed, b: Keyed) => number {
  const collator = collatorOf(locale)
  return (a, b) => {
    if (hasNumber(a) && hasNumber(b)) return sign * (a.key - b.key)
    const missing = Number(isMissing(a.key)) - Number(isMissing(b.key))
    return missing !== 0 ? missing : sign * collator.compare(String(a.key), String(b.key))
  }
}

const isMissing = (key: unknown): boolean => key === null || key === undefined

const collators = new Map<string, Intl.Collator>()
/** A collator costs as much to make as a sort of a hundred rows. */
function collatorOf(locale: string): Intl.Collator {
  const known = collators.get(locale) ?? new Intl.Collator(locale, { numeric: true })
  if (collators.size < 100) collators.set(locale, known)
  return known
}

const Count = z.number().int().min(0)

export const limit = defineStep({
  name: 'limit',
  doc: 'Keep the first rows.',
  needs: [],
  effect: 'pure',
  schema: Count,
  example: 1,
  exampleInput: ROWS,
  exampleOutput: [ROWS[0]],
  run: async ({ data }, count) => rowsOf(data, 'limit').slice(0, count),
})

export const skip = defineStep({
  name: 'skip',
  aliases: ['offset'],
  doc: 'Leave out the first rows.',
  needs: [],
  effect: 'pure',
  schema: Count,
  example: 2,
  exampleInput: ROWS,
  exampleOutput: [ROWS[2]],
  run: async ({ data }, count) => rowsOf(data, 'skip').slice(count),
})

export const count = defineStep({
  name: 'count',
  doc: 'Answer how many rows there are, or how many of them an expression holds for.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({ when: z.string().min(1).optional().meta({ expression: true }) }),
  example: { when: 'item.score > 10' },
  exampleInput: ROWS,
  exampleOutput: 2,
  run: async ({ data, evaluator }, { when }) => {
    const rows = rowsOf(data, 'count')
    return when === undefined ? rows.length : rows.filter(evaluator(when)).length
  },
})
