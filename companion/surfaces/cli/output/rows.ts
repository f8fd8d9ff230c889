import { isRecord } from '../../../../shared/json.ts'
import { valueAt } from '../../../kernel/projection.ts'

/** Data as columns and rows of raw values; each format makes its own cells of them. */
export interface Rows {
  columns: string[]
  rows: unknown[][]
}

/** A list becomes one row an item. Items that are no records share the column `value`. */
export function rowsOf(list: readonly unknown[], columns?: readonly string[]): Rows {
  const names = columns && columns.length > 0 ? [...columns] : unionOfKeys(list)
  if (names.length === 0) names.push('value')
  return {
    columns: names,
    rows: list.map(item => names.map(name => (isRecord(item) ? valueAt(item, name) : loneValue(item, name)))),
  }
}

/** Names and values of one record, in the order of `columns` where given. */
export function entriesOf(record: Record<string, unknown>, columns?: readonly string[]): [string, unknown][] {
  const names = columns?.some(name => valueAt(record, name) !== undefined) ? columns : Object.keys(record)
  return names.map(name => [name, valueAt(record, name)])
}

/** A value as text without layout: nothing for null, commas between the values of a plain list, else JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every(item => typeof item !== 'object' || item === null))
    return value.map(cellText).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export function unionOfKeys(list: readonly unknown[]): string[] {
  const keys = new Set<string>()
  for (const item of list) if (isRecord(item)) for (const key of Object.keys(item)) keys.add(key)
  if (keys.size > 0 && list.some(item => !isRecord(item))) keys.add('value')
  return [...keys]
}

const loneValue = (item: unknown, column: string): unknown => (column === 'value' ? item : undefined)
