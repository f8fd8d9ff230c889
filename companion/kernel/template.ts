import { Failure } from '../../shared/failures.ts'
import { type Expression, parseExpression, repeated } from './expression.ts'
import { text } from './filters.ts'

/** Text with `${{ expression }}` in it. One template alone keeps its type; within text it becomes text. */
const OPEN = '${{'
type Part = string | Expression

const parsed = new Map<string, readonly Part[]>()
/** Adapters hold a few thousand templates; a caller that makes up new ones must not fill the memory. */
const MAX_CACHED = 5000

export const hasTemplate = (value: unknown): boolean => {
  if (typeof value === 'string') return value.includes(OPEN)
  if (Array.isArray(value)) return value.some(hasTemplate)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasTemplate)
}

/** A value whose templates wait for names. */
export type Filled = (scope: Record<string, unknown>) => unknown

/** Fills every template in a value, however deep. Fails with expression_error. */
export const renderValue = (value: unknown, scope: Record<string, unknown>): unknown =>
  compileValue(value)(scope)

/** Reads a value once, to fill its templates many times. */
export function compileValue(value: unknown): Filled {
  if (!hasTemplate(value)) return () => value
  if (typeof value === 'string') return compileParts(partsOf(value))
  if (Array.isArray(value)) {
    const items = value.map(compileValue)
    return scope => items.map(item => item(scope))
  }
  return compileFields(Object.entries(value as object).map(([name, item]) => [name, compileValue(item)]))
}

function compileFields(fields: readonly (readonly [string, Filled])[]): Filled {
  // Assignment is several times as fast as fromEntries, but makes a prototype of what is called so.
  if (fields.some(([name]) => name === '__proto__'))
    return scope => Object.fromEntries(fields.map(([name, item]) => [name, item(scope)]))
  const names = fields.map(([name]) => name)
  const values = fields.map(([, value]) => value)
  // A copy has its fields in place already, so that filling it in changes no shape.
  const blank: Record<string, unknown> = Object.fromEntries(names.map(name => [name, null]))
  return scope => {
    const out = { ...blank }
    for (let at = 0; at < names.length; at++) out[names[at] as string] = values[at]?.(scope)
    return out
  }
}

function compileParts(parts: readonly Part[]): Filled {
  const [only] = parts
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return repeated(only)
  const texts = parts.map(part => {
    if (typeof part === 'string') return () => part
    const fill = repeated(part)
    return (scope: Record<string, unknown>) => text(fill(scope))
  })
  return scope => texts.map(fill => fill(scope)).join('')
}

/** Parses every template in a value, so that a bad one shows when the adapter is loaded. */
export function checkTemplates(value: unknown): void {
  if (typeof value === 'string') partsOf(value)
  else if (Array.isArray(value)) value.forEach(checkTemplates)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkTemplates)
}

const expressions = new Map<string, Expression>()

/** A bare expression, as in `filter: item.score > 10`. */
export const evaluateText = (source: string, scope: Record<string, unknown>): unknown =>
  compileText(source)(scope)

/** Parses a bare expression once, to evaluate it many times. */
export function compileText(source: string): Filled {
  const known = expressions.get(source) ?? parseExpression(source)
  if (expressions.size < MAX_CACHED) expressions.set(source, known)
  return repeated(known)
}

function partsOf(template: string): readonly Part[] {
  const known = parsed.get(template)
  if (known !== undefined) return known
  const parts: Part[] = []
  let at = 0
  for (;;) {
    const open = template.indexOf(OPEN, at)
    if (open === -1) break
    if (open > at) parts.push(template.slice(at, open))
    const close = closeOf(template, open + OPEN.length)
    parts.push(parseExpression(template.slice(open + OPEN.length, close).trim()))
    at = close + 2
  }
  if (at < template.length) parts.push(template.slice(at))
  if (parsed.size < MAX_CACHED) parsed.set(template, parts)
  return parts
}

/** Where the `}}` is that ends an expression: not inside a quoted text, not inside an object. */
function closeOf(template: string, from: number): number {
  let depth = 0
  let quote: string | null = null
  for (let at = from; at < template.length; at++) {
    const char = template[at]
    if (quote !== null) {
      if (char === '\\') at++
      else if (char === quote) quote = null
    } else if (char === '"' || char === "'") quote = char
    else if (char === '{') depth++
    else if (char === '}') {
      if (depth > 0) depth--
      else if (template[at + 1] === '}') return at
    }
  }
  throw new Failure('expression_error', { expression: template, at: from, reason: 'its }} is missing' })
}
