import { z } from 'zod'
import { CAPABILITIES, PERSON_WIRE, WIRE, WIRE_EVENTS } from '../../shared/wire.ts'
import { code, page, table } from './page.ts'

interface Method {
  doc: string
  effect: string
  params: z.ZodType
  result: z.ZodType
}

export const wirePage = (): string =>
  page(
    'The wire between companion and extension',
    'What crosses native messaging, as `shared/wire.ts` declares it. A read whose answer was lost may be asked ' +
      'again; a write whose answer was lost ends as `outcome_unknown`.',
    '## Companion to extension',
    methods(WIRE),
    '## Extension to companion',
    methods(PERSON_WIRE),
    '## Events',
    table(
      ['event', 'data'],
      Object.entries(WIRE_EVENTS).map(([name, data]) => [code(name), code(shape(data))]),
    ),
    '## Capabilities',
    `Hello lists those that the extension has: ${CAPABILITIES.map(code).join(', ')}.`,
  )

const methods = (wire: Record<string, Method>): string =>
  table(
    ['method', 'effect', 'what it does', 'params', 'result'],
    Object.entries(wire).map(([name, method]) => [
      code(name),
      method.effect,
      method.doc,
      code(shape(method.params)),
      code(shape(method.result)),
    ]),
  )

interface JsonSchema {
  type?: string | string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  additionalProperties?: JsonSchema | boolean
}

const shape = (schema: z.ZodType): string =>
  // zod gives draft 2020-12, of which JsonSchema names the part that is printed here.
  print(z.toJSONSchema(schema, { io: 'input', reused: 'inline' }) as JsonSchema)

/** A schema as one short line, written as a type would be. */
function print(schema: JsonSchema): string {
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return [...new Set(choices.map(print))].join(' | ')
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.type === 'array') return `[${schema.items ? print(schema.items) : 'any'}, …]`
  if (schema.type === 'object') return printObject(schema)
  return schema.type === undefined ? 'any' : [schema.type].flat().join(' | ')
}

function printObject({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, value]) => `${name}${required.includes(name) ? '' : '?'}: ${print(value)}`,
  )
  if (typeof additionalProperties === 'object') fields.push(`[name]: ${print(additionalProperties)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
