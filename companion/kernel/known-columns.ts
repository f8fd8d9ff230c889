import { Failure } from '../../shared/failures.ts'
import type { Operation } from './operation.ts'

/** Columns that have a value in every known good answer of an operation; empty when nothing is known. */
export type KnownColumns = (operation: Operation) => readonly string[]

/**
 * Notices rows that lost what makes them rows. Where most of the known columns are empty in every row, the site has
 * moved on: fails with columns_missing. Fewer may be chance, and are told as a remark; null when all is well.
 */
export function columnRemark(operation: Operation, data: unknown, known: KnownColumns): string | null {
  const rows: unknown[] = Array.isArray(data) ? data : [data]
  const empty = new Set(operation.columns.filter(column => rows.every(row => isEmptyIn(row, column))))
  if (empty.size === 0) return null
  const columns = known(operation).filter(column => operation.columns.includes(column))
  const missing = columns.filter(column => empty.has(column))
  if (missing.length === 0) return null
  if (missing.length > columns.length / 2) throw new Failure('columns_missing', { columns: missing })
  const { site, command } = operation
  return `No row has a value for ${missing.join(', ')}: if there should be one, run "unicli repair ${site} ${command}".`
}

const isEmptyIn = (row: unknown, column: string): boolean => {
  if (typeof row !== 'object' || row === null) return false
  const value = (row as Record<string, unknown>)[column]
  return value === null || value === undefined || value === ''
}
