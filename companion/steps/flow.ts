import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { rowsOf } from './fields.ts'
import { inLanes } from './lanes.ts'
import { Expression, Pipeline, PipelinesByName } from './nested.ts'

const Concurrency = z.number().int().min(1).max(16).default(4)

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
  example: { when: 'data | length > 2', then: [{ limit: 2 }], else: [{ limit: 1 }] },
  exampleInput: ['a', 'b', 'c'],
  exampleOutput: ['a', 'b'],
  run: async ({ data, evaluate, run }, params) => {
    const plan = evaluate(params.when) ? params.then : params.else
    return plan === undefined ? data : run(plan, data)
  },
})

export const choose = defineStep({
  name: 'switch',
  doc: 'Run the pipeline whose name is the value of the expression, or the default one.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({
    on: Expression,
    cases: PipelinesByName.describe('by the value as text'),
    default: Pipeline.optional().describe('without it, a value that has no case fails'),
  }),
  example: {
    on: 'data.kind',
    cases: { list: [{ select: 'items' }], one: [{ select: 'item' }] },
    default: [{ select: 'all' }],
  },
  exampleInput: { kind: 'list', items: ['a'] },
  exampleOutput: ['a'],
  run: async ({ data, evaluate, run }, params) => {
    const value = evaluate(params.on)
    const name = typeof value === 'object' ? JSON.stringify(value) : String(value)
    const plan = Object.hasOwn(params.cases, name) ? params.cases[name] : params.default
    if (plan !== undefined) return run(plan, data)
    const known = Object.keys(params.cases).join(', ')
    throw new Failure('assertion_failed', {
      message: `"${params.on}" is "${name}", which is none of ${known}`,
    })
  },
})

export const each = defineStep({
  name: 'each',
  doc: 'Run a pipeline for every item, several at a time; the answers keep the order of the items.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({ do: Pipeline, concurrency: Concurrency }),
  example: { do: [{ pick: ['id'] }], concurrency: 8 },
  exampleInput: [[{ id: 1, x: 0 }], [{ id: 2, x: 0 }]],
  exampleOutput: [[{ id: 1 }], [{ id: 2 }]],
  run: async ({ data, scope, run, progress }, params) => {
    const items = rowsOf(data, 'each')
    let done = 0
    return inLanes(items, params.concurrency, async (item, index) => {
      const answer = await run(params.do, item, { item, index, vars: { ...scope.vars } })
      if (items.length > 10) progress(`${++done} of ${items.length}`)
      return answer
    })
  },
})

export const loop = defineStep({
  name: 'while',
  aliases: ['repeat'],
  doc: 'Run a pipeline again and again on its own answer, while an expression holds or until one does.',
  needs: [],
  effect: 'inherits',
  schema: z
    .strictObject({
      while: Expression.optional().describe('looked at before each round; index counts the rounds from 0'),
      until: Expression.optional().describe('looked at after each round'),
      do: Pipeline,
      max: z.number().int().min(1).max(10_000).default(100).describe('most rounds'),
      at_max: z.enum(['fail', 'stop']).default('fail').describe('what happens when one more would be needed'),
    })
    .refine(p => p.while !== undefined || p.until !== undefined, 'say while or until'),
  example: { while: 'data | length > 1', do: [{ skip: 1 }], max: 10 },
  exampleInput: ['a', 'b', 'c'],
  exampleOutput: ['c'],
  run: async ({ data, evaluate, run }, params) => {
    let value = data
    for (let index = 0; ; index++) {
      if (params.while !== undefined && !evaluate(params.while, { data: value, index })) return value
      if (index === params.max) break
      value = await run(params.do, value, { index })
      if (params.until !== undefined && evaluate(params.until, { data: value, index })) return value
    }
    if (params.at_max === 'stop') return value
    throw new Failure('assertion_failed', { message: `the loop has an end after ${params.max} rounds` })
  },
})

export const parallel = defineStep({
  name: 'parallel',
  doc: 'Run named pipelines side by side on the same data; the answers come by name, or in one list.',
  needs: [],
  effect: 'inherits',
  schema: z.strictObject({
    branches: PipelinesByName,
    merge: z
      .enum(['object', 'concat'])
      .default('object')
      .describe('concat puts the lists of all branches into one, in the order in which they are written'),
    concurrency: Concurrency,
  }),
  example: { branches: { first: [{ limit: 1 }], rest: [{ skip: 1 }] } },
  exampleInput: ['a', 'b', 'c'],
  exampleOutput: { first: ['a'], rest: ['b', 'c'] },
  run: async ({ data, scope, run }, { branches, merge, concurrency }) => {
    const named = Object.entries(branches)
    const answers = await inLanes(named, concurrency, ([, plan]) =>
      // Each has vars of its own: what one stores, no other sees sooner or later.
      run(plan, data, { vars: { ...scope.vars } }),
    )
    return merge === 'concat'
      ? answers.flat(1)
      : Object.fromEntries(named.map(([name], i) => [name, answers[i]]))
  },
})
