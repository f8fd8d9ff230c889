import { z } from 'zod'
import { defineStep } from '../kernel/step.ts'
import { isRow, recordOf, rowsOf } from './fields.ts'
import { reach } from './paths.ts'

const expression = { expression: true }
const By = z.string().min(1).meta(expression)

const Unique = z.strictObject({ by: By.optional().describe('what tells items apart; default: all of it') })

export const unique = defineStep({
  name: 'unique',
  aliases: ['dedupe'],
  doc: 'Keep the first of all items that are equal, as a whole or by an expression.',
  needs: [],
  effect: 'pure',
  schema: z.union([By.transform(by => ({ by })), Unique]).meta(expression),
  example: { by: 'item.author' },
  exampleInput: [
    { author: '李', id: 1 },
    { author: 'Ann', id: 2 },
    { author: '李', id: 3 },
  ],
  exampleOutput: [
    { author: '李', id: 1 },
    { author: 'Ann', id: 2 },
  ],
  run: async ({ data, evaluator }, { by }) => {
    const keyOf = by === undefined ? (item: unknown) => item : evaluator(by)
    const seen = new Set<unknown>()
    return rowsOf(data, 'unique').filter((item, index) => {
      const key = comparable(keyOf(item, index))
      return !seen.has(key) && seen.add(key)
    })
  },
})

const Group = z.strictObject({
  by: By.describe('the key that items of one group share'),
  counts: z.boolean().default(false).describe('give how many there are, not the items'),
})

export const group = defineStep({
  name: 'group',
  aliases: ['group_by'],
  doc: 'Put items of equal key together: rows of key and items, or of key and count, in order of appearance.',
  needs: [],
  effect: 'pure',
  schema: z.union([By.transform(by => ({ by, counts: false })), Group]).meta(expression),
  example: { by: 'item.lang', counts: true },
  exampleInput: [{ lang: 'zh' }, { lang: 'en' }, { lang: 'zh' }],
  exampleOutput: [
    { key: 'zh', count: 2 },
    { key: 'en', count: 1 },
  ],
  run: async ({ data, evaluator }, { by, counts }) => {
    const keyOf = evaluator(by)
    const groups = new Map<unknown, { key: unknown; items: unknown[] }>()
    for (const [index, item] of rowsOf(data, 'group').entries()) {
      const key = keyOf(item, index)
      const known = groups.get(comparable(key))
      if (known === undefined) groups.set(comparable(key), { key, items: [item] })
      else known.items.push(item)
    }
    const all = [...groups.values()]
    return counts ? all.map(({ key, items }) => ({ key, count: items.length })) : all
  },
})

/** Equal for values that read the same: objects by their content, a number never like its text. */
const comparable = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? `o:${JSON.stringify(sortedKeys(value))}` : tagged(value)
const tagged = (value: unknown): unknown => (typeof value === 'string' ? `s:${value}` : value)

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (!isRow(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map(key => [key, sortedKeys(value[key])]),
  )
}

export const flatten = defineStep({
  name: 'flatten',
  doc: 'Make one list of lists within a list, or a row of every item in a field that holds a list.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    depth: z.number().int().min(1).max(20).default(1),
    field: z.string().min(1).optional().describe('a row for each item of this field, the rest repeated'),
  }),
  example: { field: 'tags' },
  exampleInput: [
    { id: 1, tags: ['x', 'y'] },
    { id: 2, tags: ['z'] },
  ],
  exampleOutput: [
    { id: 1, tags: 'x' },
    { id: 1, tags: 'y' },
    { id: 2, tags: 'z' },
  ],
  run: async ({ data }, { depth, field }) => {
    const rows = rowsOf(data, 'flatten')
    if (field === undefined) return rows.flat(depth)
    return rows.flatMap(row => {
      const record = recordOf(row)
      const inner = record[field]
      return Array.isArray(inner) ? inner.map(item => ({ ...record, [field]: item })) : [record]
    })
  },
})

const Join = z.strictObject({
  with: z.array(z.unknown()).describe('the other rows, such as ${{ vars.users }}'),
  on: z.string().min(1).describe('dot path of the key in the rows of data'),
  equals: z.string().min(1).optional().describe('dot path of the key in the other rows; default: the same'),
  kind: z.enum(['inner', 'left']).default('inner').describe('left keeps rows that have no match'),
  as: z.string().min(1).optional().describe('put the other row into this field; default: merge its fields'),
})

export const join = defineStep({
  name: 'join',
  doc: 'Match the rows of two lists by a key; fields of the data win over fields of the other list.',
  needs: [],
  effect: 'pure',
  schema: Join,
  example: { with: [{ id: 7, name: 'Ann' }], on: 'author', equals: 'id', kind: 'left', as: 'by' },
  exampleInput: [
    { title: 'Bridges', author: 7 },
    { title: '桥', author: 8 },
  ],
  exampleOutput: [
    { title: 'Bridges', author: 7, by: { id: 7, name: 'Ann' } },
    { title: '桥', author: 8, by: null },
  ],
  run: async ({ data }, params) => joined(rowsOf(data, 'join'), params),
})

function joined(rows: readonly unknown[], params: z.output<typeof Join>): unknown[] {
  const { on, equals = on, kind, as } = params
  const others = grouped(params.with, equals)
  // A row without a match has the same columns as one that has one.
  const blank = Object.fromEntries(
    params.with.flatMap(other => Object.keys(recordOf(other))).map(name => [name, null]),
  )
  return rows.flatMap(row => {
    const left = recordOf(row)
    const key = reach(row, on)
    const matches = key === null || key === undefined ? undefined : others.get(comparable(key))
    if (matches === undefined) {
      if (kind === 'inner') return []
      return [as === undefined ? { ...blank, ...left } : { ...left, [as]: null }]
    }
    return matches.map(right => (as === undefined ? { ...right, ...left } : { ...left, [as]: right }))
  })
}

function grouped(rows: readonly unknown[], path: string): Map<unknown, Record<string, unknown>[]> {
  const byKey = new Map<unknown, Record<string, unknown>[]>()
  for (const row of rows) {
    const key = reach(row, path)
    // Nothing equals nothing here, as in SQL: two rows without a key do not belong together.
    if (key === null || key === undefined) continue
    const known = byKey.get(comparable(key))
    if (known === undefined) byKey.set(comparable(key), [recordOf(row)])
    else known.push(recordOf(row))
  }
  return byKey
}

const Append = z.strictObject({
  to: z.string().min(1).describe('name of the list, read later as vars.name'),
  items: z.boolean().default(false).describe('append the items of the data one by one, not the data as one'),
})

export const append = defineStep({
  name: 'append',
  doc: 'Add the data to the end of a list under vars; the data passes on unchanged.',
  needs: [],
  effect: 'pure',
  schema: z.union([
    z
      .string()
      .min(1)
      .transform(to => ({ to, items: false })),
    Append,
  ]),
  example: { to: 'all', items: true },
  exampleInput: [1, 2],
  exampleOutput: [1, 2],
  run: async ({ data, scope, setVars }, { to, items }) => {
    const before = scope.vars[to] ?? []
    setVars({ [to]: [...rowsOf(before, 'append'), ...(items ? rowsOf(data, 'append') : [data])] })
    return data
  },
})
