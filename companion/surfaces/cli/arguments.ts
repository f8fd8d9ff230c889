import { argsSchema } from '../../kernel/description.ts'
import type { Operation } from '../../kernel/operation.ts'

/** How a word of the command line becomes a value. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'json'

/** One argument of an operation as the command line takes it; derived from the schema, never written. */
export interface ArgumentSpec {
  /** Name in the schema. */
  name: string
  /** Long flag with its dashes. */
  flag: string
  doc: string
  /** What it may be; more than one for a union. */
  kinds: ReadonlySet<ValueKind>
  /** Given once for each element. */
  list: boolean
  choices: readonly string[]
  required: boolean
  default: unknown
  secret: boolean
  /** Place among the operands, from 0; null when it goes by its flag alone. */
  place: number | null
}

/** The part of JSON Schema that zod writes for arguments. */
interface JsonSchema {
  type?: string | readonly string[]
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly JsonSchema[]
  oneOf?: readonly JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: readonly string[]
}

/** @param reserved long flags that mean something else on this command line */
export function argumentsOf(operation: Operation, reserved: ReadonlySet<string>): ArgumentSpec[] {
  // Written by zod from an object schema: these keys are what it writes.
  const schema = argsSchema(operation) as JsonSchema
  const required = new Set(schema.required)
  const specs = Object.entries(schema.properties ?? {}).map(([name, property]): ArgumentSpec => {
    const list = isList(property)
    const single = list ? (nonNull(property)[0]?.items ?? {}) : property
    const place = operation.positional.indexOf(name)
    return {
      name,
      flag: flagFor(name, reserved),
      doc: property.description ?? nonNull(property)[0]?.description ?? '',
      kinds: new Set(kindsOf(single)),
      list,
      choices: choicesOf(single),
      required: required.has(name),
      default: property.default,
      secret: operation.secrets.includes(name),
      place: place < 0 ? null : place,
    }
  })
  return specs.toSorted((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0)
}

/** `--no-x` would be the opposite of `--x`, and a flag of our own cannot be taken: such arguments say `--arg-`. */
function flagFor(name: string, reserved: ReadonlySet<string>): string {
  const kebab = name.replaceAll('_', '-')
  return reserved.has(`--${kebab}`) || kebab.startsWith('no-') ? `--arg-${kebab}` : `--${kebab}`
}

/** What it may be but null: one schema a type. */
const nonNull = (schema: JsonSchema): readonly JsonSchema[] =>
  (schema.anyOf ?? schema.oneOf ?? [schema])
    .flatMap(option =>
      Array.isArray(option.type) ? option.type.map(type => ({ ...option, type })) : [option],
    )
    .filter(option => option.type !== 'null')

const isList = (schema: JsonSchema): boolean => nonNull(schema).every(option => option.type === 'array')

const choicesOf = (schema: JsonSchema): string[] =>
  nonNull(schema).flatMap(option =>
    (option.enum ?? (option.const === undefined ? [] : [option.const])).map(String),
  )

function kindsOf(schema: JsonSchema): ValueKind[] {
  return nonNull(schema).flatMap((option): ValueKind[] => {
    if (option.anyOf || option.oneOf) return kindsOf(option)
    const sample = option.enum?.[0] ?? option.const
    const type = option.type ?? (sample === undefined ? undefined : typeof sample)
    if (type === 'string') return ['text']
    if (type === 'number' || type === 'integer') return ['number']
    if (type === 'boolean') return ['boolean']
    return type === undefined ? ['text', 'number', 'boolean', 'json'] : ['json']
  })
}
