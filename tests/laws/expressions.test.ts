import { expect, it } from 'vitest'
import { evaluateExpression, parseExpression } from '../../companion/kernel/expression.ts'
import { FILTERS } from '../../companion/kernel/filters.ts'
import { Failure } from '../../shared/failures.ts'
import { HOSTILE_EXPRESSIONS } from '../support/hostile-expressions.ts'
import { seededRandom } from '../support/seeded-random.ts'

/** Laws of expressions: whatever is written, it gives plain data or says where it is wrong, and soon. */
const SEED = 20_261_130
const RANDOM = 100_000
const MAX_CPU_MS = 50

const scope = () => ({
  args: { query: 'a b&c', limit: 5, pattern: '(a+)+$' },
  vars: { name: '你好', page: '<p>one <b>two</b> &amp; three</p>' },
  data: [
    { id: 1, title: 'first', tags: ['x', 'y'], at: '2024-05-01' },
    { id: 2, title: '第二', tags: [], at: null },
  ],
  env: { TOKEN: 'declared' },
  base: 'https://example.org/a',
  item: { id: 7, title: 'Tìtle', nested: { deep: { x: 1 } }, author: null, count: '1.2万' },
  index: 3,
})

interface Outcome {
  source: string
  cpuMs: number
  problem: string | null
}

/** What the laws say of one expression; its CPU time, since other processes share the machine's wall clock. */
function judge(source: string): Outcome {
  const names = scope()
  const before = JSON.stringify(names)
  const started = process.cpuUsage()
  const problem = problemOf(source, names)
  const { user, system } = process.cpuUsage(started)
  const changed = JSON.stringify(names) === before ? null : 'it changed its scope'
  return { source, cpuMs: (user + system) / 1000, problem: problem ?? changed }
}

function problemOf(source: string, names: Record<string, unknown>): string | null {
  try {
    const value = evaluateExpression(parseExpression(source), names)
    return hostObjectIn(value)
  } catch (error) {
    if (!Failure.is(error, 'expression_error')) return `it threw ${error}`
    const { at, reason } = error.params as { at: unknown; reason: unknown }
    if (!Number.isInteger(at) || Number(at) < 0 || Number(at) > source.length) return `its place is ${at}`
    return typeof reason === 'string' && reason.length > 0 && reason.length < 4000
      ? null
      : 'it says no reason'
  }
}

/** Plain data only: a function, or anything with a prototype of its own, came from the host. */
function hostObjectIn(value: unknown): string | null {
  const open = [value]
  for (let seen = 0; open.length > 0 && seen < 100_000; seen += 1) {
    const next = open.pop()
    if (typeof next === 'function' || typeof next === 'symbol') return `a ${typeof next} came out`
    if (typeof next !== 'object' || next === null) continue
    const prototype: unknown = Object.getPrototypeOf(next)
    if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null)
      return `an object came out that is no plain data: ${Object.prototype.toString.call(next)}`
    open.push(...Object.values(next).slice(0, 1000))
  }
  return null
}

const faultsOf = (outcomes: readonly Outcome[]) => ({
  problems: outcomes.filter(each => each.problem !== null),
  // A collection of garbage or a compilation falls on whoever runs just then: what is slow is slow twice.
  slow: outcomes.filter(({ source, cpuMs }) => cpuMs > MAX_CPU_MS && judge(source).cpuMs > MAX_CPU_MS),
})

it(`${RANDOM} random expressions give plain data, or say where they are wrong`, { timeout: 300_000 }, () => {
  const random = seededRandom(SEED)
  const write = writer(random)
  const outcomes: Outcome[] = []
  let fine = 0
  for (let count = 0; count < RANDOM; count += 1) {
    const source = write()
    const outcome = judge(source)
    fine += Number(outcome.problem === null)
    if (outcome.problem !== null || outcome.cpuMs > MAX_CPU_MS) outcomes.push(outcome)
  }
  expect(faultsOf(outcomes)).toEqual({ problems: [], slow: [] })
  expect(fine).toBe(RANDOM)
})

it('two hundred hostile expressions reach nothing, change nothing and take no time', {
  timeout: 60_000,
}, () => {
  expect(HOSTILE_EXPRESSIONS.length).toBeGreaterThanOrEqual(200)
  expect(faultsOf(HOSTILE_EXPRESSIONS.map(judge))).toEqual({ problems: [], slow: [] })
})

it('gives the same for the same', () => {
  const write = writer(seededRandom(SEED + 1))
  const answer = (source: string) => {
    try {
      return JSON.stringify(evaluateExpression(parseExpression(source), scope()))
    } catch (error) {
      return String(error)
    }
  }
  for (let count = 0; count < 5000; count += 1) {
    const source = write()
    expect(answer(source), source).toBe(answer(source))
  }
})

it('shows of the environment what the adapter declares, and says of all else that it is not declared', () => {
  const value = (source: string) => evaluateExpression(parseExpression(source), scope())
  expect(value('env.TOKEN')).toBe('declared')
  for (const source of ['env.PATH', "env['HO' + 'ME']", 'env.constructor', 'env.__proto__', 'env?.PATH'])
    expect(() => value(source), source).toThrow(/does not declare/)
  expect(() => evaluateExpression(parseExpression('env.PATH'), { args: {} })).toThrow(/there is no "env"/)
  expect(JSON.stringify(value('{ a: env, b: args, c: vars }'))).not.toContain(process.env.PATH ?? 'no path')
})

/** Writes expressions that are mostly sound, and now and then noise. */
function writer(random: ReturnType<typeof seededRandom>): () => string {
  const { pick, chance, int } = random
  const names = ['item', 'args', 'vars', 'data', 'index', 'base', 'env', 'nobody', 'constructor', '__proto__']
  const fields =
    'id title tags at nested deep x author query limit name length constructor __proto__ 0'.split(' ')
  const literals = [
    "'a'",
    '"你好"',
    '0',
    '1.5',
    '-3',
    '1e9',
    'true',
    'null',
    "''",
    "'2024-05-01'",
    "'<b>x</b>'",
  ]
  const operators = '+ - * / % == != === < > <= >= && || ??'.split(' ')
  const filters = Object.entries(FILTERS)
  const pipe = (depth: number): string => {
    const [name, { params }] = pick(filters)
    const args = Array.from({ length: int(params.length + (chance(0.05) ? 2 : 1)) }, () =>
      expression(depth - 1),
    )
    return `${expression(depth - 1)} | ${name}${args.length > 0 ? `(${args.join(', ')})` : ''}`
  }
  const shapes: ((depth: number) => string)[] = [
    depth => `${expression(depth - 1)} ${pick(operators)} ${expression(depth - 1)}`,
    pipe,
    pipe,
    depth => `(${expression(depth - 1)})`,
    depth => `${expression(depth - 1)} ? ${expression(depth - 1)} : ${expression(depth - 1)}`,
    depth => `[${expression(depth - 1)}, ${expression(depth - 1)}]`,
    depth => `{ ${pick(fields)}: ${expression(depth - 1)} }`,
    depth => `${pick(['!', '-', '+'])}${expression(depth - 1)}`,
    () => `${pick(names)}${chance(0.3) ? '?' : ''}.${pick(fields)}`,
    depth => `${pick(names)}[${expression(depth - 1)}]`,
  ]
  const expression = (depth: number): string =>
    depth <= 0 || chance(0.2)
      ? chance(0.5)
        ? pick(literals)
        : `${pick(names)}.${pick(fields)}`
      : pick(shapes)(depth)
  const noise = (source: string): string => {
    const at = int(source.length + 1)
    return source.slice(0, at) + pick([...'()[]{}|?.:,;=`"\'\\\u0000\ud800 ']) + source.slice(at + int(3))
  }
  return () => {
    const source = expression(1 + int(4))
    return chance(0.15) ? noise(source) : source
  }
}
