import { isRecord } from '../../../shared/json.ts'
import type { JsonSchema } from '../../kernel/description.ts'

/** Keywords whose values are schemas by name, and keywords whose values are no schemas at all. */
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
const DATA = new Set(['default', 'const', 'enum', 'examples'])

/**
 * Moves a schema to `place` in another document: references that start at its own root start there.
 * Only where a schema stands is `$ref` a reference; an argument may well have that name.
 */
export function rebase(schema: JsonSchema, place: string): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside)
    return isRecord(value) ? rebase(value, place) : value
  }
  const changed = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (DATA.has(key)) return holdsReference(value) ? [] : [[key, value]]
    if (key === '$ref' && typeof value === 'string') return [[key, value.replace(/^#/, place)]]
    if (MAPS.has(key) && isRecord(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, inside(of)]))]]
    return [[key, inside(value)]]
  })
  return Object.fromEntries(changed)
}

/** Data with a `$ref` in it: every OpenAPI tool takes that for a reference, wherever it stands. */
export function holdsReference(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsReference)
  if (!isRecord(value)) return false
  return typeof value.$ref === 'string' || Object.values(value).some(holdsReference)
}
