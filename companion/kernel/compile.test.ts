import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type CompileContext, compilePlan, PlanFault } from './compile.ts'
import { type AnyStep, defineStep, type Plan, type PlannedStep } from './step.ts'

const take = defineStep({
  name: 'take',
  doc: 'Keep some rows.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({ count: z.number().int(), from: z.string().optional() }),
  example: { count: 1 },
  run: async ({ data }) => data,
})
const when = defineStep({
  name: 'when',
  doc: 'Run a pipeline.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({
    is: z.string().meta({ expression: true }),
    run: z.array(z.unknown()).meta({ plan: true }).optional(),
  }),
  example: { is: 'true' },
  run: async ({ data }) => data,
})

const context: CompileContext = {
  steps: new Map<string, AnyStep>([take, when].map(step => [step.name, step])),
  line: path => path.length,
}

function faultOf(raw: unknown): PlanFault {
  try {
    compilePlan(raw, context)
  } catch (error) {
    if (error instanceof PlanFault) return error
    throw error
  }
  throw new Error('it compiled')
}

describe('compiling a pipeline', () => {
  it('keeps params as written and compiles nested pipelines', () => {
    const plan = compilePlan(
      [{ when: { is: 'args.x > 1', run: [{ take: { count: '${{ args.n }}' } }] } }],
      context,
    )
    const nested = (plan.at(0) as PlannedStep & { params: { run: Plan } }).params.run
    expect(nested[0]?.step.name).toBe('take')
    expect(nested[0]?.params).toEqual({ count: '${{ args.n }}' })
  })

  it.each([
    ['a list is missing', 'nothing', 'a pipeline is a list', ['pipeline']],
    ['a misspelt step', [{ taek: { count: 1 } }], 'did you mean "take"?', ['pipeline', 0, 'taek']],
    [
      'a misspelt option',
      [{ take: { cuont: 1 } }],
      'did you mean "count"?',
      ['pipeline', 0, 'take', 'cuont'],
    ],
    ['a missing option', [{ take: {} }], 'needs its option "count"', ['pipeline', 0, 'take']],
    [
      'a value of the wrong type',
      [{ take: { count: 'many' } }],
      'expected number',
      ['pipeline', 0, 'take', 'count'],
    ],
    ['two steps in one', [{ take: { count: 1 }, when: {} }], 'one key', ['pipeline', 0]],
    ['a bad template', [{ take: { count: '${{ 1 + }}' } }], 'In "1 +"', ['pipeline', 0, 'take', 'count']],
    ['a bad expression', [{ when: { is: '1 +' } }], 'In "1 +"', ['pipeline', 0, 'when', 'is']],
    [
      'a fault in a nested pipeline',
      [{ when: { is: 'true', run: [{ nope: {} }] } }],
      'unknown step "nope"',
      ['pipeline', 0, 'when', 'run', 0, 'nope'],
    ],
  ])('refuses %s and says where', (_, raw, reason, path) => {
    const fault = faultOf(raw)
    expect(fault.message).toContain(reason)
    expect(fault.path).toEqual(path)
  })
})
