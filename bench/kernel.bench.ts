import { z } from 'zod'
import { compilePlan } from '../companion/kernel/compile.ts'
import { defineStep, type Plan } from '../companion/kernel/step.ts'
import { STEPS } from '../companion/steps/index.ts'
import { operation, setUp, step } from '../tests/support/kernel-world.ts'
import { p50, p95, sample } from './sampling.ts'

export const title =
  'The kernel beside plain JavaScript in the same run (ratio: to the plain form of the same work)'

/** Steps of one plan that does nothing, and rows of one that does something. */
const CHAIN = 100
const ROWS = 10_000

interface Row {
  id: number
  title: string
  score: number
  tags: string[]
}

export async function measure() {
  const bare = await sample(200, bareChain, 50)
  const chain = await inStep(run => sample(200, () => run(CHAINED, 0), 50))
  const rows = rowsOf(ROWS)
  const plain = await sample(40, async () => plainPipeline(rows), 10)
  const pipeline = await inStep(run => sample(40, () => run(PIPELINE, rows), 10))
  const whole = await sample(300, wholeRun(), 50)
  const perStep = (times: readonly number[]) => times.map(ms => (ms * 1000) / CHAIN)
  return [
    inMicroseconds('an async function call', perStep(bare), perStep(bare)),
    inMicroseconds('a step that does nothing', perStep(chain), perStep(bare)),
    inMicroseconds('a whole run of one such step', asMicroseconds(whole), perStep(bare)),
    inMicroseconds(`map, filter, sort of ${ROWS} rows, plain`, asMicroseconds(plain), asMicroseconds(plain)),
    inMicroseconds('the same as a pipeline', asMicroseconds(pipeline), asMicroseconds(plain)),
  ]
}

const noop = defineStep({
  name: 'noop',
  doc: 'Do nothing.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({}),
  example: {},
  run: async ({ data }) => data,
})

const compiled = (raw: unknown): Plan =>
  compilePlan(raw, { steps: new Map([...STEPS, ['noop', noop]]), line: () => null })

const CHAINED = compiled(Array.from({ length: CHAIN }, () => ({ noop: {} })))

const PIPELINE = compiled([
  {
    map: {
      id: '${{ item.id }}',
      title: '${{ item.title | upper }}',
      points: '${{ item.score * 2 + index }}',
      tags: "${{ item.tags | join(', ') }}",
    },
  },
  { filter: 'item.points > 5000 && item.title != ""' },
  { sort: { by: 'points', order: 'desc' } },
])

function plainPipeline(rows: readonly Row[]): unknown[] {
  return rows
    .map((item, index) => ({
      id: item.id,
      title: item.title.toUpperCase(),
      points: item.score * 2 + index,
      tags: item.tags.join(', '),
    }))
    .filter(item => item.points > 5000 && item.title !== '')
    .toSorted((a, b) => b.points - a.points)
}

const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    title: `Story ${id} of the day`,
    score: (id * 7919) % 5000,
    tags: ['news', `t${id % 17}`],
  }))

async function bareChain(): Promise<void> {
  for (let at = 0; at < CHAIN; at++) await nothing()
}
const nothing = async (): Promise<null> => null

type RunPlan = (plan: Plan, input: unknown) => Promise<unknown>

/** Runs plans as a flow step does: compiled before, without the layers round a run. */
async function inStep(work: (run: RunPlan) => Promise<number[]>): Promise<number[]> {
  const measuring = step('measure', ctx => work((plan, input) => ctx.run(plan, input)))
  const plan = [{ step: measuring, params: {}, line: null }]
  const { run } = setUp(planned(plan))
  const { ok, data, error } = await run({ options: { timeout_ms: 600_000, full: true } })
  if (!ok) throw new Error(error.message)
  return data as number[]
}

/** From the call to the envelope, all layers, over ports that do nothing. */
function wholeRun(): () => Promise<unknown> {
  const { run } = setUp(planned(compiled([{ noop: {} }])))
  return () => run()
}

const planned = (plan: Plan) =>
  operation({
    allowEmpty: true,
    source: {
      ...(operation({}).source as Extract<ReturnType<typeof operation>['source'], { kind: 'adapter' }>),
      plans: { public: plan },
    },
  })

const asMicroseconds = (times: readonly number[]): number[] => times.map(ms => ms * 1000)

const inMicroseconds = (what: string, times: readonly number[], baseline: readonly number[]) => ({
  what,
  n: times.length,
  'p50 µs': p50(times),
  'p95 µs': p95(times),
  'ratio p50': p50(times) / p50(baseline),
})
