import { z } from 'zod'
import { FAILURES, Failure, type FailureCode } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { Backoff, untilDone } from './attempts.ts'
import { Expression, Pipeline, Pipelines, ReadPipeline } from './nested.ts'

const CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]]

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

export const retry = defineStep({
  name: 'retry',
  doc: 'Run a pipeline that changes nothing again when it fails in a way that may pass by itself.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({
    do: ReadPipeline.describe('steps that change nothing'),
    attempts: z.number().int().min(2).max(10).default(3).describe('how often at most'),
    backoff_ms: Backoff,
  }),
  example: { do: [{ fetch: 'https://example.com/data.json' }], attempts: 3, backoff_ms: 200 },
  run: async (ctx, { do: plan, ...how }) => untilDone(ctx, how, () => ctx.attempt(plan, ctx.data)),
})

export const attempt = defineStep({
  name: 'try',
  doc: 'Run a pipeline; when it fails run another one on the failure, and at the end a last one in any case.',
  needs: [],
  effect: 'inherits',
  schema: z
    .strictObject({
      do: Pipeline,
      catch: Pipeline.optional().describe(
        'its data is the failure: code, message, hint, class, retryable, and wrote, which says that something may have been changed',
      ),
      codes: z.array(z.enum(CODES)).min(1).optional().describe('failures to catch; default: every one'),
      finally: Pipeline.optional().describe('runs on the input; its answer is dropped'),
    })
    .refine(p => p.catch !== undefined || p.finally !== undefined, 'say catch or finally'),
  example: {
    do: [{ select: 'items' }],
    catch: [{ map: { problem: '${{ item.code }}' } }],
    codes: ['select_missed'],
  },
  exampleInput: { other: 1 },
  exampleOutput: { problem: 'select_missed' },
  run: async (ctx, params) => {
    try {
      const outcome = await ctx.attempt(params.do, ctx.data)
      if (outcome.ok) return outcome.data
      const { failure, wrote } = outcome
      if (params.catch === undefined || params.codes?.includes(failure.code) === false) throw failure
      return await ctx.run(params.catch, { ...told(failure), wrote })
    } finally {
      if (params.finally !== undefined) await ctx.run(params.finally, ctx.data)
    }
  },
})

const told = (failure: Failure) => ({
  code: failure.code,
  message: failure.message,
  hint: failure.hint,
  class: failure.spec.class,
  retryable: failure.spec.retry,
})

export const fallback = defineStep({
  name: 'fallback',
  aliases: ['first_of'],
  doc: 'Run pipelines in order until one succeeds; once something may have been changed, no other one is tried.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({ pipelines: Pipelines.describe('the best first') }),
  example: { pipelines: [[{ select: 'result.items' }], [{ select: 'items' }]] },
  exampleInput: { items: ['a'] },
  exampleOutput: ['a'],
  run: async ({ data, attempt, progress }, { pipelines }) => {
    let first: Failure | null = null
    for (const [index, plan] of pipelines.entries()) {
      const outcome = await attempt(plan, data)
      if (outcome.ok) return outcome.data
      if (outcome.wrote || outcome.failure.code === 'outcome_unknown') throw outcome.failure
      first ??= outcome.failure
      if (index < pipelines.length - 1) progress(`Way ${index + 1} failed (${outcome.failure.code}).`)
    }
    // The best way's own failure tells more than that of what stood in for it.
    throw first ?? new Failure('internal', { reason: 'a fallback without pipelines' })
  },
})
