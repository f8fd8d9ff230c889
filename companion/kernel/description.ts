import { z } from 'zod'
import { Effect, Strategy } from '../../shared/envelope.ts'
import type { Operation } from './operation.ts'

const DeclaredStrategy = z.union([Strategy, z.literal('auto')]).nullable()

/** One operation in a list or among the hits of a search: enough to choose, and mostly enough to call. */
export const OperationBrief = z.object({
  /** `site.command` */
  operation: z.string(),
  doc: z.string(),
  effect: Effect,
  strategy: DeclaredStrategy,
  args: z.array(z.string()).describe('Names of the arguments; "?" ends those that may be left out.'),
})
export type OperationBrief = z.infer<typeof OperationBrief>

/** Whether the person's login is used: never, when the site gives more with it, or always. */
const AuthPosture = z.enum(['none', 'optional', 'login'])

/** What a search for an intent finds: a brief, and what it takes to try it. */
export const OperationHit = OperationBrief.extend({
  auth: AuthPosture,
  needs: z.array(z.string()).describe('What it works with, such as "browser".'),
  example: z.record(z.string(), z.unknown()).describe('Arguments of a call that works.'),
})
export type OperationHit = z.infer<typeof OperationHit>

/** All that one needs to know to call an operation: what `describe` answers on every surface. */
export const OperationDescription = z.object({
  operation: z.string(),
  doc: z.string(),
  effect: Effect,
  strategy: DeclaredStrategy,
  strategies: z.array(Strategy),
  needs: z.array(z.string()),
  args: z.record(z.string(), z.unknown()).describe('JSON Schema (draft 2020-12) of the arguments.'),
  positional: z.array(z.string()).describe('Arguments that the command line also takes by place, in order.'),
  secrets: z.array(z.string()).describe('Arguments whose values are kept out of logs and answers.'),
  example: z.record(z.string(), z.unknown()),
  columns: z.array(z.string()),
  aliases: z.array(z.string()),
  alternatives: z.array(z.string()),
  verified: z
    .object({ how: z.enum(['live', 'contract', 'replay']), date: z.string() })
    .nullable()
    .describe('How it was shown to work, and when.'),
  adapter_path: z.string().nullable(),
})
export type OperationDescription = z.infer<typeof OperationDescription>

export type JsonSchema = Record<string, unknown>

export function briefOf(operation: Operation): OperationBrief {
  const { required } = argsSchema(operation)
  const mandatory = new Set(Array.isArray(required) ? required : [])
  return {
    operation: operation.id,
    doc: operation.doc,
    effect: operation.effect,
    strategy: operation.strategy,
    args: Object.keys(operation.args.shape).map(name => (mandatory.has(name) ? name : `${name}?`)),
  }
}

export const hitOf = (operation: Operation): OperationHit => ({
  ...briefOf(operation),
  auth: authOf(operation),
  needs: [...operation.needs],
  example: operation.example,
})

function authOf({ strategies }: Operation): OperationHit['auth'] {
  if (strategies.every(strategy => strategy === 'public')) return 'none'
  return strategies.includes('public') ? 'optional' : 'login'
}

export function describeOperation(operation: Operation): OperationDescription {
  return {
    operation: operation.id,
    doc: operation.doc,
    effect: operation.effect,
    strategy: operation.strategy,
    strategies: [...operation.strategies],
    needs: [...operation.needs],
    args: argsSchema(operation),
    positional: [...operation.positional],
    secrets: [...operation.secrets],
    example: operation.example,
    columns: [...operation.columns],
    aliases: [...operation.aliases],
    alternatives: [...operation.alternatives],
    verified: operation.verified,
    adapter_path: operation.adapterPath,
  }
}

/** JSON Schema (draft 2020-12, without `$schema`) of what a caller writes: defaults are not required. */
export function argsSchema(operation: Operation): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(operation.args, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // zod writes the range of safe integers into every integer: noise to a reader, and tokens to a model.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  })
  return schema
}
