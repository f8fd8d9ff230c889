import { createHash } from 'node:crypto'
import { isRecord } from '../../shared/json.ts'
import type { AnswerShape } from '../ports/state.ts'

/** Rows that are looked at. */
const MAX_ROWS = 1000

export function shapeOf(data: unknown): AnswerShape {
  if (data === null || data === undefined) return { kind: 'nothing', count: null, fields: {}, rows: [] }
  const list = Array.isArray(data)
  const rows: unknown[] = list ? data.slice(0, MAX_ROWS) : [data]
  const types = new Map<string, Set<string>>()
  for (const row of rows)
    for (const [name, type] of typesIn(row)) types.set(name, (types.get(name) ?? new Set()).add(type))
  return {
    kind: list ? 'list' : isRecord(data) ? 'record' : 'value',
    count: list ? data.length : null,
    fields: Object.fromEntries([...types].map(([name, seen]) => [name, [...seen].toSorted().join('|')])),
    rows: rows.map(row => hashOf(row)),
  }
}

/** What is different; every list is empty when nothing is. */
export interface ShapeChange {
  same: boolean
  kind: { was: string; is: string } | null
  count: { was: number | null; is: number | null } | null
  fields_added: string[]
  fields_gone: string[]
  fields_changed: { field: string; was: string; is: string }[]
  /** Of the rows that were looked at. */
  rows_kept: number
  rows_added: number
  rows_gone: number
}

export function shapeChange(was: AnswerShape, is: AnswerShape): ShapeChange {
  const kept = new Set(was.rows)
  const rows_kept = is.rows.filter(row => kept.has(row)).length
  const names = Object.keys(was.fields)
  const change = {
    kind: was.kind === is.kind ? null : { was: was.kind, is: is.kind },
    count: was.count === is.count ? null : { was: was.count, is: is.count },
    fields_added: Object.keys(is.fields).filter(name => !Object.hasOwn(was.fields, name)),
    fields_gone: names.filter(name => !Object.hasOwn(is.fields, name)),
    fields_changed: names.flatMap(field => {
      const [before, after] = [was.fields[field], is.fields[field]]
      return before === after || before === undefined || after === undefined
        ? []
        : [{ field, was: before, is: after }]
    }),
    rows_kept,
    rows_added: is.rows.length - rows_kept,
    rows_gone: was.rows.length - new Set(is.rows.filter(row => kept.has(row))).size,
  }
  return { same: was.rows.join() === is.rows.join() && change.count === null, ...change }
}

function typesIn(row: unknown): [name: string, type: string][] {
  if (!isRecord(row)) return [['', typeOf(row)]]
  return Object.entries(row).map(([name, value]) => [name, typeOf(value)])
}

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'list'
      : typeof value === 'object'
        ? 'record'
        : typeof value

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 12)
