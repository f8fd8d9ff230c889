import { compilePlan } from '../../companion/kernel/compile.ts'
import { runPlan } from '../../companion/kernel/pipeline.ts'
import type { Run } from '../../companion/kernel/run-state.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { Failure } from '../../shared/failures.ts'

/** Runs a pipeline as an adapter would, on `data`, with no ports. */
export async function answerOf(
  steps: unknown[],
  data: unknown,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const plan = compilePlan(steps, { steps: STEPS, line: () => null })
  const run = {
    id: 'r',
    invocation: {},
    abort: new AbortController(),
    deadline: Date.now() + 60_000,
    steps: [],
    place: null,
  } as unknown as Run
  return runPlan(plan, {
    run,
    ports: Object.freeze({}) as never,
    scope: { args, vars: {}, env: {}, data, base: 'https://example.com' },
    path: '',
    literal: false,
  })
}

/** The failure of a pipeline; throws when it does not fail. */
export async function failureOf(
  steps: unknown[],
  data: unknown,
  args: Record<string, unknown> = {},
): Promise<Failure> {
  try {
    await answerOf(steps, data, args)
  } catch (error) {
    if (Failure.is(error)) return error
    throw error
  }
  throw new Error('the pipeline did not fail')
}
