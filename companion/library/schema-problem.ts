import { z } from 'zod'
import { objectForm, problemOf } from '../kernel/schema-shape.ts'
import type { YamlPath } from './yaml-source.ts'

export interface SchemaProblem {
  /** Of the object that holds the unknown key, or of the value that does not fit. */
  path: YamlPath
  text: string
  unknownKey: string | null
}

/** The first problem that a schema found, in words for the author of a file. */
export function schemaProblem(error: z.ZodError, value: unknown): SchemaProblem {
  const { path, text, unknownKeys } = problemOf(unknownFirst(error))
  const missing = unknownKeys.length === 0 && valueAt(value, path) === undefined
  const name = path.join('.')
  return {
    path,
    text: missing ? `"${name}" is missing` : name === '' ? text : `"${name}": ${text}`,
    unknownKey: unknownKeys[0] ?? null,
  }
}

/** A misspelt key is also a missing one, and the misspelling is what its author wants to hear of. */
const unknownFirst = (error: z.ZodError): z.ZodError =>
  new z.ZodError(
    error.issues.toSorted(
      (a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'),
    ),
  )

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[key] : undefined,
    value,
  )
}

/** Keys that a schema knows at a path, for "did you mean". */
export function knownKeysAt(schema: z.ZodType, path: YamlPath): string[] {
  let at: z.ZodType | null = schema
  for (const key of path) at = at === null ? null : childOf(at, key)
  const form = at === null ? null : objectForm(at)
  return form === null ? [] : Object.keys(form.shape)
}

function childOf(schema: z.ZodType, key: string | number): z.ZodType | null {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional)
    return childOf(schema.unwrap() as z.ZodType, key)
  if (schema instanceof z.ZodRecord) return schema.valueType as z.ZodType
  if (schema instanceof z.ZodArray) return schema.element as z.ZodType
  if (schema instanceof z.ZodObject) return (schema.shape[key] as z.ZodType | undefined) ?? null
  return null
}
