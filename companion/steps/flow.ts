import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { rowsOf } from './fields.ts'

const Pipeline = z.array(z.unknown()).meta({ plan: true })
const Expression = z.string().min(1).meta({ expression: true })

export const set = defineStep({
  name: 'set',
  doc: 'Store values under names that later templates read as vars.name; the data passes on unchanged.',
  needs: [],
  effect: 'pure',
  schema: z.record(z.string(), z.unknown()),
  example: { first: '${{ data[0] }}' },
  exampleInput: ['a', 'b'],
  exampleOutput: ['a', 'b'],
  run: async ({ data, setVars }, values) => {
    setVars(values)
    return data
  },
})

export const branch = defineStep({
  name: 'if',
  doc: 'Run one pipeline when the expression holds, another one when it does not.',
  needs: [],
  effect: 'inherits',
  // biome-ignore lint/suspicious/noThenProperty: a pipeline is a list, never a function, so nothing awaits it
  schema: z.strictObject({ when: Expression, then: Pipeline, else: Pipeline.optional() }),
  // biome-ignore lint/suspicious/noThenProperty: as above
  example: { when: 'args.all', then: [{ limit: 100 }], else: [{ limit: 10 }] },
  run: async ({ data, evaluate, run }, params) => {
    const plan = evaluate(params.when) ? params.then : params.else
    return plan === undefined ? data : run(plan, data)
  },
})

export const each = defineStep({
  name: 'each',
  doc: 'Run a pipeline for every item, several at a time; the answers keep the order of the items.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({ do: Pipeline, concurrency: z.number().int().min(1).max(16).default(4) }),
  example: { do: [{ fetch: { url: '/item/${{ item }}.json' } }], concurrency: 8 },
  run: async ({ data, scope, run, progress }, params) => {
    const items = rowsOf(data, 'each')
    const answers = new Array<unknown>(items.length)
    const todo = items.entries()
    let done = 0
    const worker = async () => {
      for (const [index, item] of todo) {
        answers[index] = await run(params.do, item, { item, index, vars: { ...scope.vars } })
        if (items.length > 10) progress(`${++done} of ${items.length}`)
      }
    }
    await Promise.all(Array.from({ length: Math.min(params.concurrency, items.length) }, worker))
    return answers
  },
})

export const assert = defineStep({
  name: 'assert',
  doc: 'Fail with the message unless the expression holds; the data passes on unchanged.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({
    that: Expression,
    message: z.string(),
    code: z
      .enum(['assertion_failed', 'auth_required', 'permission_denied', 'not_found'])
      .default('assertion_failed')
      .describe('what it means when it does not hold'),
  }),
  example: { that: 'data | length > 0', message: 'the list has rows' },
  exampleInput: ['a'],
  exampleOutput: ['a'],
  run: async ({ data, evaluate, scope }, { that, message, code }) => {
    if (!evaluate(that)) throw refusal(code, message, scope.base)
    return data
  },
})

/** A site says many things with status 200; only its adapter knows which words mean which failure. */
function refusal(code: string, message: string, base: string): Failure {
  const site = URL.canParse(base) ? new URL(base).host : base
  if (code === 'auth_required') return new Failure('auth_required', { site, reason: message })
  if (code === 'permission_denied') return new Failure('permission_denied', { site, reason: message })
  if (code === 'not_found') return new Failure('not_found', { what: message, hint: 'Check the arguments.' })
  return new Failure('assertion_failed', { message })
}
