import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { recordOf, rowsOf } from './fields.ts'

type Row = Record<string, unknown>
const Names = z.array(z.string().min(1)).min(1)
const ROWS = [
  { id: 1, title: '桥', html: '<p>…</p>' },
  { id: 2, title: 'Roads', html: '<p>…</p>' },
]

/** Does it to one object or to every row of a list. */
const toRows = (data: unknown, change: (row: Row) => unknown): unknown =>
  Array.isArray(data) ? data.map(row => change(recordOf(row))) : change(recordOf(data))

/** A field that no row has was renamed by the site: that must not pass as a column of nothing. */
function mustExist(data: unknown, names: readonly string[]): void {
  const rows = (Array.isArray(data) ? data : [data]).map(recordOf)
  if (rows.length === 0) return
  const there = new Set(rows.flatMap(Object.keys))
  const absent = names.find(name => !there.has(name))
  if (absent !== undefined)
    throw new Failure('select_missed', { path: absent, at: absent, keys: [...there].slice(0, 20) })
}

export const pick = defineStep({
  name: 'pick',
  doc: 'Keep only the named fields, in this order; a row without one gets null there.',
  needs: [],
  effect: 'pure',
  schema: Names,
  example: ['title', 'id'],
  exampleInput: ROWS,
  exampleOutput: [
    { title: '桥', id: 1 },
    { title: 'Roads', id: 2 },
  ],
  run: async ({ data }, names) => {
    mustExist(data, names)
    return toRows(data, row =>
      Object.fromEntries(names.map(name => [name, Object.hasOwn(row, name) ? row[name] : null])),
    )
  },
})

export const omit = defineStep({
  name: 'omit',
  doc: 'Leave out the named fields.',
  needs: [],
  effect: 'pure',
  schema: Names,
  example: ['html'],
  exampleInput: ROWS,
  exampleOutput: [
    { id: 1, title: '桥' },
    { id: 2, title: 'Roads' },
  ],
  run: async ({ data }, names) =>
    toRows(data, row => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))),
})

export const rename = defineStep({
  name: 'rename',
  doc: 'Give fields other names; the options are old name: new name.',
  needs: [],
  effect: 'pure',
  schema: z.record(z.string(), z.string().min(1)),
  example: { html: 'body' },
  exampleInput: ROWS,
  exampleOutput: [
    { id: 1, title: '桥', body: '<p>…</p>' },
    { id: 2, title: 'Roads', body: '<p>…</p>' },
  ],
  run: async ({ data }, names) => {
    mustExist(data, Object.keys(names))
    return toRows(data, row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [Object.hasOwn(names, name) ? names[name] : name, value]),
      ),
    )
  },
})

const KeyValue = {
  key_name: z.string().min(1).default('key'),
  value_name: z.string().min(1).default('value'),
}

export const toEntries = defineStep({
  name: 'to_entries',
  aliases: ['to-entries'],
  doc: 'Turn an object into rows of key and value.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject(KeyValue),
  example: { key_name: 'code', value_name: 'rate' },
  exampleInput: { EUR: 1, CNY: 7.8 },
  exampleOutput: [
    { code: 'EUR', rate: 1 },
    { code: 'CNY', rate: 7.8 },
  ],
  run: async ({ data }, { key_name, value_name }) =>
    Object.entries(recordOf(data)).map(([key, value]) => ({ [key_name]: key, [value_name]: value })),
})

export const fromEntries = defineStep({
  name: 'from_entries',
  aliases: ['from-entries'],
  doc: 'Turn rows of key and value into one object; the last of equal keys wins.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject(KeyValue),
  example: { key_name: 'code', value_name: 'rate' },
  exampleInput: [
    { code: 'EUR', rate: 1 },
    { code: 'CNY', rate: 7.8 },
  ],
  exampleOutput: { EUR: 1, CNY: 7.8 },
  run: async ({ data }, { key_name, value_name }) => {
    const rows = rowsOf(data, 'from_entries')
    mustExist(rows, [key_name, value_name])
    return Object.fromEntries(
      rows.map(recordOf).map(row => [String(row[key_name] ?? ''), row[value_name] ?? null]),
    )
  },
})
