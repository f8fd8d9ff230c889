import { z } from 'zod'

/** Questions that the kernel asks of a step's schema, so that it never has to know a step's name. */
export interface FieldMeta {
  /** False: templates stay for the step itself to fill. */
  rendered: boolean
  /** A nested pipeline. */
  plan: boolean
  /** Nested pipelines: a list of them, or one for each name. */
  plans: boolean
  /** The nested pipeline may run again, so it must change nothing. */
  reads: boolean
  /** A bare expression, parsed when the adapter is loaded. */
  expression: boolean
}

export function metaOf(schema: z.ZodType): FieldMeta {
  let meta: Record<string, unknown> = {}
  for (let at: z.ZodType | null = schema; at !== null; at = innerOf(at)) meta = { ...at.meta(), ...meta }
  const flag = (key: string) => meta[key] === true
  return {
    rendered: !(meta.rendered === false || flag('plan') || flag('plans') || flag('expression')),
    plan: flag('plan'),
    plans: flag('plans'),
    reads: flag('reads'),
    expression: flag('expression'),
  }
}

function innerOf(schema: z.ZodType): z.ZodType | null {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return schema.unwrap() as z.ZodType
  if (schema instanceof z.ZodPipe) return schema.in as z.ZodType
  return null
}

/** The object form of a schema that also takes a shorthand (`limit: 5` for `limit: {count: 5}`). */
export function objectForm(schema: z.ZodType): z.ZodObject | null {
  if (schema instanceof z.ZodObject) return schema
  if (schema instanceof z.ZodUnion)
    for (const option of schema.options) {
      const form = objectForm(option as z.ZodType)
      if (form !== null) return form
    }
  const inner = innerOf(schema)
  return inner === null ? null : objectForm(inner)
}

/** The schema that `params` are written in: the object form for objects, the schema itself for shorthands. */
export const formFor = (schema: z.ZodType, params: unknown): z.ZodType =>
  typeof params === 'object' && params !== null && !Array.isArray(params)
    ? (objectForm(schema) ?? schema)
    : schema

/** Fields of a schema's object form with their meta. */
export const fieldsOf = (form: z.ZodObject): [name: string, schema: z.ZodType, meta: FieldMeta][] =>
  Object.entries(form.shape).map(([name, schema]) => [name, schema as z.ZodType, metaOf(schema as z.ZodType)])

/** The first problem of a zod error, in words, with its path. */
export function problemOf(error: z.ZodError): {
  path: (string | number)[]
  text: string
  unknownKeys: string[]
} {
  const issue = deepest(error.issues)
  if (issue === undefined) return { path: [], text: 'it does not fit', unknownKeys: [] }
  const path = issue.path.filter((part): part is string | number => typeof part !== 'symbol')
  return {
    path,
    text: issue.message,
    unknownKeys: issue.code === 'unrecognized_keys' ? issue.keys : [],
  }
}

/** Of a union, the issue of the option that came furthest: the others only say that they are other options. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue] = issues
  if (issue?.code !== 'invalid_union') return issue
  const inner = issue.errors.map(option => deepest(option)).filter(found => found !== undefined)
  const best = inner.toSorted((a, b) => b.path.length - a.path.length || rank(b) - rank(a))[0]
  return best === undefined ? issue : { ...best, path: [...issue.path, ...best.path] }
}
const rank = (issue: z.core.$ZodIssue): number =>
  issue.code === 'unrecognized_keys' ? 2 : issue.code === 'invalid_type' ? 0 : 1
