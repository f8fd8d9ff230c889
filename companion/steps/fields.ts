import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { isRecord } from '../../shared/json.ts'

/** Options of steps that change one value: the data itself, or a field of it. */
export const atField = {
  field: z.string().min(1).optional().describe('change this field of every row; without it, the data itself'),
  to: z.string().min(1).optional().describe('put the answer into this field and leave the other as it is'),
}

interface Place {
  field?: string | undefined
  to?: string | undefined
}

/** Changes the data, or the named field of one row or of every row. Rows are copied, never written to. */
export function changeAt(data: unknown, { field, to }: Place, change: (value: unknown) => unknown): unknown {
  const read = (row: unknown): unknown => (field === undefined ? row : ownField(row, field))
  const changed = (row: unknown): unknown => {
    const target = to ?? field
    return target === undefined ? change(row) : { ...recordOf(row), [target]: change(read(row)) }
  }
  if (field === undefined && to === undefined) return change(data)
  return Array.isArray(data) ? data.map(changed) : changed(data)
}

function ownField(row: unknown, field: string): unknown {
  const record = recordOf(row)
  if (!Object.hasOwn(record, field))
    throw new Failure('select_missed', { path: field, at: field, keys: Object.keys(record).slice(0, 20) })
  return record[field]
}

/** Named fields; bytes have none. */
export const isRow = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !ArrayBuffer.isView(value)

export function recordOf(value: unknown): Record<string, unknown> {
  if (isRow(value)) return value
  throw new Failure('parse_failed', {
    what: 'A row',
    reason: `an object with named fields is needed, this is ${kindOf(value)}`,
  })
}

/** The rows of a list; anything else is drift that must not pass in silence. */
export function rowsOf(data: unknown, step: string): unknown[] {
  if (Array.isArray(data)) return data
  throw wrongInput(step, 'a list', data)
}

/** Text; numbers count as text, since sites write ids as either. */
export function textOf(data: unknown, step: string): string {
  if (typeof data === 'string') return data
  if (typeof data === 'number' || typeof data === 'bigint') return String(data)
  throw wrongInput(step, 'text', data)
}

export const wrongInput = (step: string, needed: string, data: unknown): Failure =>
  new Failure('parse_failed', {
    what: `The input of "${step}"`,
    reason: `${needed} is needed, this is ${kindOf(data)}`,
  })

const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** What a library threw, as one failure with its reason in words. */
export const parseFailure = (what: string, cause: unknown): Failure => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new Failure('parse_failed', { what, reason: reason.replace(/\.$/, '') }, { cause })
}
