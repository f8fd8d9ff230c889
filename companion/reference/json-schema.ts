import { z } from 'zod'

/** The part of JSON Schema (draft 2020-12) that zod writes and that is read here. */
export interface JsonSchema {
  $schema?: string
  $ref?: string
  $defs?: Record<string, JsonSchema>
  title?: string
  description?: string
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  pattern?: string
  format?: string
  minLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  minProperties?: number
  maxProperties?: number
  additionalProperties?: JsonSchema | boolean
  propertyNames?: JsonSchema
  /** A step's own marks, which zod carries over: see `StepSchema` in kernel/step.ts. */
  plan?: boolean
  plans?: boolean
  reads?: boolean
  expression?: boolean
  rendered?: boolean
}

/** What a person writes to satisfy the schema: defaults are not required. */
export const schemaOf = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // zod writes the range of safe integers into every integer, which tells a reader nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  // JsonSchema names the keywords that zod writes; the type of zod names all that there are.
  return json as JsonSchema
}

/** A schema as one short line, written as a type would be. */
export function typeText(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (schema.plan) return 'pipeline'
  if (schema.plans) return schema.type === 'array' ? '[pipeline, …]' : '{ [name]: pipeline }'
  if (schema.expression) return 'expression'
  if (choices) return [...new Set(choices.map(typeText))].join(' | ')
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `[${schema.items ? typeText(schema.items) : 'any'}, …]`
  if (schema.type === 'object') return objectText(schema)
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' | ')
}

function objectText({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, value]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(value)}`,
  )
  if (typeof additionalProperties === 'object') fields.push(`[name]: ${typeText(additionalProperties)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
