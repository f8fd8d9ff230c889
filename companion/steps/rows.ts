import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { rowsOf } from './fields.ts'

export const select = defineStep({
  name: 'select',
  doc: 'Go to the value at a dot path, such as "data.items" or "results.0.name".',
  needs: [],
  effect: 'pure',
  schema: z.string().min(1),
  example: 'query.search',
  run: async ({ data }, path) => walk(data, path),
})

export const map = defineStep({
  name: 'map',
  doc: 'Make a row of every item; each field is a template over item and index.',
  needs: [],
  effect: 'pure',
  schema: z.record(z.string(), z.unknown()).meta({ rendered: false }),
  example: { title: '${{ item.title }}', rank: '${{ index + 1 }}' },
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
  run: async ({ data, evaluator }, expression) => rowsOf(data, 'filter').filter(evaluator(expression)),
})

const SortBy = z.strictObject({ by: z.string(), order: z.enum(['asc', 'desc']).default('asc') })
export const sort = defineStep({
  name: 'sort',
  doc: 'Order rows by a field; numbers by size, text by the alphabet; rows without it come last.',
  needs: [],
  effect: 'pure',
  schema: z.union([z.string().transform(by => ({ by, order: 'asc' as const })), SortBy]),
  example: { by: 'score', order: 'desc' },
  run: async ({ data }, { by, order }) => {
    const sign = order === 'asc' ? 1 : -1
    const keyed = rowsOf(data, 'sort').map(row => ({ row, key: reach(row, by) }))
    return keyed
      .toSorted((a, b) => {
        const missing = Number(isMissing(a.key)) - Number(isMissing(b.key))
        return missing !== 0 ? missing : sign * compareKeys(a.key, b.key)
      })
      .map(({ row }) => row)
  },
})

export const limit = defineStep({
  name: 'limit',
  doc: 'Keep the first rows.',
  needs: [],
  effect: 'pure',
  schema: z.number().int().min(0),
  example: 10,
  run: async ({ data }, count) => rowsOf(data, 'limit').slice(0, count),
})

const isMissing = (key: unknown): boolean => key === null || key === undefined
const collator = new Intl.Collator('en', { numeric: true })
const compareKeys = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))

/** Undefined where the path leads nowhere. */
function reach(data: unknown, path: string): unknown {
  let at: unknown = data
  for (const key of path.split('.')) at = stepInto(at, key)
  return at
}

const stepInto = (at: unknown, key: string): unknown =>
  typeof at === 'object' && at !== null && Object.hasOwn(at, key)
    ? (at as Record<string, unknown>)[key]
    : undefined

/** The value at a path; fails with select_missed, naming what is there instead. */
function walk(data: unknown, path: string): unknown {
  let at: unknown = data
  for (const key of path.split('.')) {
    const next = stepInto(at, key)
    if (next === undefined) {
      const keys = typeof at === 'object' && at !== null ? Object.keys(at).slice(0, 20) : []
      throw new Failure('select_missed', { path, at: key, keys })
    }
    at = next
  }
  return at
}
