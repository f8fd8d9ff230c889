import { z } from 'zod'
import { compilePattern, type Pattern } from '../kernel/pattern.ts'
import type { ArgSpec } from './adapter-schema.ts'

/** For schemas that are used once or twice: compiling each of them to code costs more than it saves. */
export const ONCE = { jitless: true } as const

/** The arguments of an adapter as a schema. Throws Error with the name of the argument that makes no sense. */
export function argsSchemaOf(specs: Readonly<Record<string, ArgSpec>>): z.ZodObject {
  const fields = Object.entries(specs).map(([name, spec]) => [name, fieldOf(name, spec)] as const)
  return z.strictObject(Object.fromEntries(fields))
}

/** A fault in the declaration of one argument. */
export class ArgFault extends Error {
  override readonly name = 'ArgFault'
  readonly arg: string
  constructor(arg: string, reason: string) {
    super(reason)
    this.arg = arg
  }
}

function fieldOf(name: string, spec: ArgSpec): z.ZodType {
  const field = withDefault(name, spec, typeOf(name, spec))
  return spec.description === undefined ? field : field.describe(spec.description)
}

function withDefault(name: string, spec: ArgSpec, typed: z.ZodType): z.ZodType {
  if (spec.default === undefined) return spec.required ? typed : typed.optional()
  if (spec.required) throw new ArgFault(name, 'it cannot be required and have a default')
  if (!typed.safeParse(spec.default, ONCE).success)
    throw new ArgFault(name, 'its default does not fit its own type')
  return typed.default(spec.default)
}

function typeOf(name: string, spec: ArgSpec): z.ZodType {
  if (spec.choices !== undefined) return choicesOf(name, spec, spec.choices)
  switch (spec.type) {
    case 'string':
      return textOf(name, spec)
    case 'integer':
      return bounded(z.int(), spec)
    case 'number':
      return bounded(z.number(), spec)
    case 'boolean':
      return z.boolean()
    case 'array':
      return sized(z.array(itemOf(spec.items ?? 'string')), spec)
    case 'object':
      return z.record(z.string(), z.unknown())
  }
}

function choicesOf(name: string, spec: ArgSpec, choices: readonly (string | number)[]): z.ZodType {
  const kind = spec.type === 'string' ? 'string' : 'number'
  if (!['string', 'integer', 'number'].includes(spec.type) || choices.some(choice => typeof choice !== kind))
    throw new ArgFault(name, `its choices are not of its type, ${spec.type}`)
  return z.literal([...choices])
}

function textOf(name: string, spec: ArgSpec): z.ZodType {
  const text = sized(formatOf(spec.format), spec)
  if (spec.pattern === undefined) return text
  const pattern = patternOf(name, spec.pattern)
  return text
    .refine(value => pattern.fits(value), { error: `it must match ${spec.pattern} as a whole` })
    .meta({ pattern: `^(?:${spec.pattern})$` })
}

function patternOf(name: string, source: string): Pattern {
  try {
    return compilePattern(source)
  } catch (error) {
    throw new ArgFault(name, error instanceof Error ? error.message : String(error))
  }
}

function formatOf(format: ArgSpec['format']): z.ZodString {
  // Formats are subtypes of z.string() with all of its checks; zod's types only know them as siblings.
  const formats = {
    url: () => z.url(),
    date: () => z.iso.date(),
    'date-time': () => z.iso.datetime({ offset: true }),
    email: () => z.email(),
    uuid: () => z.uuid(),
    hostname: () => z.hostname(),
    ipv4: () => z.ipv4(),
    ipv6: () => z.ipv6(),
  }
  return format === undefined ? z.string() : (formats[format]() as unknown as z.ZodString)
}

function bounded(number: z.ZodNumber, { min, max }: ArgSpec): z.ZodNumber {
  const from = min === undefined ? number : number.min(min)
  return max === undefined ? from : from.max(max)
}

function sized<T extends z.ZodString | z.ZodArray>(schema: T, { min, max }: ArgSpec): T {
  const from = min === undefined ? schema : schema.min(min)
  return (max === undefined ? from : from.max(max)) as T
}

function itemOf(type: NonNullable<ArgSpec['items']>): z.ZodType {
  return { string: z.string, integer: z.int, number: z.number, boolean: z.boolean }[type]()
}

/** Values that fit an adapter that gives no example of its own; null when its arguments are too particular. */
export function exampleOf(
  specs: Readonly<Record<string, ArgSpec>>,
  schema: z.ZodObject,
): Record<string, unknown> | null {
  const required = Object.entries(specs).filter(([, spec]) => spec.required)
  const example = Object.fromEntries(required.map(([name, spec]) => [name, madeUp(name, spec)]))
  return schema.safeParse(example, ONCE).success ? example : null
}

function madeUp(name: string, spec: ArgSpec): unknown {
  if (spec.choices !== undefined) return spec.choices[0]
  const values = {
    string: name,
    integer: spec.min ?? 1,
    number: spec.min ?? 1,
    boolean: true,
    array: [],
    object: {},
  }
  return values[spec.type]
}
