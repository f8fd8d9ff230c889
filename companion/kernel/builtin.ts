import type { z } from 'zod'
import type { BuiltinCall, Operation } from './operation.ts'

/** An operation of unicli itself, such as `auth.login`: neither an adapter nor a step. */
export interface Builtin<A extends z.ZodObject> {
  /** `site.command`; no adapter can take this site any more. */
  id: `${string}.${string}`
  doc: string
  args: A
  positional?: readonly (keyof z.input<A> & string)[]
  secrets?: readonly (keyof z.input<A> & string)[]
  effect: Operation['effect']
  risk?: Operation['risk']
  needs?: readonly string[]
  example: z.input<A>
  columns?: readonly string[]
  /** Words to find it by, in any language. */
  aliases?: readonly string[]
  timeoutMs?: number
  /** Its answer is the envelope's data; a list is rows. Fails with Failure. */
  run(args: z.output<A>, call: BuiltinCall): Promise<unknown>
}

/** The operation as every surface sees it. */
export function builtinOperation<A extends z.ZodObject>(builtin: Builtin<A>): Operation {
  const { id, doc, args, effect, risk, example, timeoutMs } = builtin
  const [site = '', command = ''] = id.split('.')
  return {
    ...{ id, site, command, doc, args, effect, risk, timeoutMs },
    positional: builtin.positional ?? [],
    secrets: builtin.secrets ?? [],
    needs: builtin.needs ?? [],
    strategy: null,
    strategies: [],
    example: example as Record<string, unknown>,
    columns: builtin.columns ?? [],
    aliases: builtin.aliases ?? [],
    adapterPath: null,
    verified: null,
    alternatives: [],
    allowEmpty: true,
    // The kernel has parsed the arguments by this very schema.
    source: { kind: 'builtin', run: (given, call) => builtin.run(given as z.output<A>, call) },
  }
}
