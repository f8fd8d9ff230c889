import stringWidth from 'string-width'
import { isRecord } from '../../../shared/json.ts'
import { excerpt } from '../expression-fault.ts'
import type { Fuel } from '../expression-fuel.ts'
import { text } from '../expression-values.ts'

/** What stands after a |. Pure: the same input gives the same output, on any day and in any place. */
export interface Filter {
  doc: string
  /** As the reference shows them; `n = 80` and `key?` may be left out. */
  params: readonly string[]
  /** An expression and its value, which the tests check. */
  example: readonly [expression: string, value: unknown]
  /** Other names for the same, such as those that older tools use. */
  aliases?: readonly string[]
  /** The first argument is a pattern: a bad one shows when the adapter is loaded. */
  pattern?: true
  /** Throws Error with a short reason; asks `fuel` before any work that grows with its input. */
  run(input: unknown, args: readonly unknown[], fuel: Fuel): unknown
}

export function paramCounts({ params }: Filter): { least: number; most: number } {
  const least = params.filter(param => !param.endsWith('?') && !param.includes('=')).length
  return { least, most: params.length }
}

/** Text of a value. The JSON of lists and objects is work, as is passing over a long text. */
export function textOf(value: unknown, fuel: Fuel, weight = 1): string {
  const made = text(value)
  fuel.spend(made.length * weight)
  return made
}

export function numberOf(value: unknown, fallback = 0): number {
  if (typeof value === 'number') return value
  const number =
    typeof value === 'string' ? Number(value.replaceAll(/[,_\s]/g, '')) : Number(value ?? fallback)
  if (Number.isNaN(number)) throw new Error(`"${quoted(value)}" is not a number`)
  return number
}

/** A whole number within bounds: a count of digits, characters or items. */
export function countOf(value: unknown, fallback: number, most: number): number {
  const count = Math.trunc(numberOf(value, fallback))
  if (count >= 0 && count <= most) return count
  throw new Error(`${count} is not between 0 and ${most}`)
}

/** A list; nothing is an empty one. Looking at each item once is paid for. */
export function listOf(value: unknown, fuel: Fuel, weight = 1): unknown[] {
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw new Error(`the input is ${kindOf(value)}, not a list`)
  fuel.spend(value.length * weight)
  return value
}

export function recordOf(value: unknown, fuel: Fuel): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`the input is ${kindOf(value)}, not an object`)
  // An object with many keys is slow to take apart, and its size shows only then.
  fuel.spend(20)
  return value as Record<string, unknown>
}

export const fieldOf = (item: unknown, key: string): unknown =>
  isRecord(item) && Object.hasOwn(item, key) ? (item[key] ?? null) : null

export const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing (null)'
  if (Array.isArray(value)) return 'a list'
  return { string: 'a text', number: 'a number', boolean: 'a boolean' }[typeof value as string] ?? 'an object'
}

export const quoted = (value: unknown): string => excerpt(text(value).slice(0, 100))

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** Each of these characters stands alone. CR is left out, since CR LF is one. */
const ALONE =
  /^[\n\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uff01-\uff5e]*$/
/** Those of them that take two columns. */
const WIDE = /[\u3001-\uff5e]/g

/** Graphemes, so that a cut never splits an emoji or a combined character. */
export function graphemesOf(value: string, fuel: Fuel): string[] {
  fuel.spend(value.length * 2)
  if (ALONE.test(value)) return value.split('')
  fuel.spend(value.length * 40)
  return Array.from(SEGMENTER.segment(value), part => part.segment)
}

/** How many columns of a terminal a text takes. */
export function columnsOf(value: string, fuel: Fuel): number {
  fuel.spend(value.length * 2)
  if (ALONE.test(value) && !value.includes('\n')) return value.length + (value.match(WIDE)?.length ?? 0)
  fuel.spend(value.length * 600)
  return stringWidth(value)
}
