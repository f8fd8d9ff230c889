import { isRecord } from '../../../shared/json.ts'
import type { JsonSchema } from '../../kernel/description.ts'

/** Keywords that the kernel checks and that a model need not weigh: it is told when it breaks one. */
const CHECKS = new Set([
  'propertyNames',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'pattern',
  'format',
])
const MAPS = new Set(['properties', 'patternProperties', '$defs'])
const DATA = new Set(['default', 'const', 'enum', 'examples', 'required', 'description'])

/**
 * A schema in few tokens, for a model to read: it allows all that the whole schema does, and more. What a value in
 * a record looks like is left to the record's description, when it has one.
 */
export function compact(schema: JsonSchema): JsonSchema {
  const kept = Object.entries(schema).filter(([key, value]) => !isNoise(schema, key, value))
  return Object.fromEntries(kept.map(([key, value]) => [key, DATA.has(key) ? value : inside(key, value)]))
}

function isNoise(schema: JsonSchema, key: string, value: unknown): boolean {
  if (CHECKS.has(key)) return true
  if (key === 'default') return value === false || value === ''
  return key === 'additionalProperties' && (value === false || schema.description !== undefined)
}

function inside(key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => inside('', item))
  if (!isRecord(value)) return value
  if (!MAPS.has(key)) return compact(value)
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, inside('', of)]))
}
