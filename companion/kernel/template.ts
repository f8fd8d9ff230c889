import { Failure } from '../../shared/failures.ts'
import { type Expression, evaluateExpression, parseExpression } from './expression.ts'
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

/** Fills every template in a value, however deep. Fails with expression_error. */
export function renderValue(value: unknown, scope: Record<string, unknown>): unknown {
  if (typeof value === 'string') return value.includes(OPEN) ? renderText(value, scope) : value
  if (Array.isArray(value)) return value.map(item => renderValue(item, scope))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, scope)]))
}

/** Parses every template in a value, so that a bad one shows when the adapter is loaded. */
export function checkTemplates(value: unknown): void {
  if (typeof value === 'string') partsOf(value)
  else if (Array.isArray(value)) value.forEach(checkTemplates)
  else if (typeof value === 'object' && value !== null) Object.values(value).forEach(checkTemplates)
}

const expressions = new Map<string, Expression>()

/** A bare expression, as in `filter: item.score > 10`. */
export function evaluateText(source: string, scope: Record<string, unknown>): unknown {
  const known = expressions.get(source) ?? parseExpression(source)
  if (expressions.size < MAX_CACHED) expressions.set(source, known)
  return evaluateExpression(known, scope)
}

function renderText(template: string, scope: Record<string, unknown>): unknown {
  const parts = partsOf(template)
  const [only] = parts
  if (parts.length === 1 && only !== undefined && typeof only !== 'string')
    return evaluateExpression(only, scope)
  return parts.map(part => (typeof part === 'string' ? part : text(evaluateExpression(part, scope)))).join('')
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
