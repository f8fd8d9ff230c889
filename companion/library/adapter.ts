import { STRATEGIES, type Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { compilePlan, PlanFault } from '../kernel/compile.ts'
import { parseExpression } from '../kernel/expression.ts'
import { didYouMean } from '../kernel/nearest.ts'
import type { Operation } from '../kernel/operation.ts'
import { exceeds, planFacts, stepsOf } from '../kernel/plan-facts.ts'
import type { AnyStep, Plan } from '../kernel/step.ts'
import { ArgFault, argsSchemaOf, exampleOf, ONCE } from './adapter-args.ts'
import { AdapterFile } from './adapter-schema.ts'
import { literalOrigins } from './literal-origins.ts'
import { knownKeysAt, schemaProblem } from './schema-problem.ts'
import { lineAt, type YamlPath, type YamlSource } from './yaml-source.ts'

/** Why a file is no adapter, with the place in it. */
export class AdapterProblem extends Error {
  override readonly name = 'AdapterProblem'
  /** 1-based. */
  readonly line: number
  constructor(line: number, reason: string, options?: { cause: unknown }) {
    super(reason, options)
    this.line = line
  }
}

export interface AdapterPlace {
  /** Absolute. */
  file: string
  /** What its folder and name say: they must agree with the keys inside. */
  site: string
  command: string
}

type Plans = Partial<Record<Strategy, Plan>>

/** The operation that an adapter file describes. Throws AdapterProblem. */
export function readAdapter(
  source: YamlSource,
  place: AdapterPlace,
  steps: ReadonlyMap<string, AnyStep>,
): Operation {
  const file = checkFile(source)
  for (const [key, expected] of [
    ['site', place.site],
    ['name', place.command],
  ] as const)
    if (file[key] !== expected)
      throw problem(source, [key], `${key} is "${file[key]}", but the file's place says "${expected}"`)
  const plans = compilePlans(file, source, steps)
  checkEffect(file, plans)
  checkExecutables(file, plans)
  checkExpressions(file, source)
  checkPagination(file, source)
  return operationOf(file, place, source, plans)
}

const problem = (source: YamlSource, path: YamlPath, reason: string, cause?: unknown): AdapterProblem =>
  new AdapterProblem(lineAt(source, path), reason, cause === undefined ? undefined : { cause })

function checkFile(source: YamlSource): AdapterFile {
  const parsed = AdapterFile.safeParse(source.value, ONCE)
  if (parsed.success) return parsed.data
  const { path, text, unknownKey } = schemaProblem(parsed.error, source.value)
  if (unknownKey === null) throw problem(source, path, text)
  const where = path.length === 0 ? '' : ` in ${path.join('.')}`
  const hint = didYouMean(unknownKey, knownKeysAt(AdapterFile, path))
  throw problem(source, [...path, unknownKey], `unknown key "${unknownKey}"${where}; ${hint}`)
}

/** `pipeline` serves the declared strategy, or with `auto` the three that fetch; `pipelines` serves one each. */
function compilePlans(file: AdapterFile, source: YamlSource, steps: ReadonlyMap<string, AnyStep>): Plans {
  const plans: Plans = {}
  const context = { steps, line: (path: YamlPath) => lineAt(source, path) }
  try {
    if (file.pipeline !== undefined) {
      const plan = compilePlan(file.pipeline, context, ['pipeline'])
      const served: readonly Strategy[] =
        file.strategy === 'auto' ? ['public', 'cookie', 'header'] : [file.strategy]
      for (const strategy of served) plans[strategy] = plan
    }
    for (const strategy of STRATEGIES) {
      const raw = file.pipelines?.[strategy]
      if (raw !== undefined) plans[strategy] = compilePlan(raw, context, ['pipelines', strategy])
    }
  } catch (error) {
    if (error instanceof PlanFault) throw problem(source, error.path, error.message, error)
    throw error
  }
  if (file.strategy === 'auto' ? Object.keys(plans).length === 0 : plans[file.strategy] === undefined)
    throw problem(source, ['strategy'], `there is no pipeline for strategy ${file.strategy}`)
  return plans
}

/** An adapter may promise less than its steps could do, never more: policy and retries hang on the promise. */
function checkEffect(file: AdapterFile, plans: Plans): void {
  for (const plan of Object.values(plans)) {
    const { effect, by } = planFacts(plan)
    if (!exceeds(effect, file.effect)) continue
    throw new AdapterProblem(
      by?.line ?? 1,
      `step "${by?.step.name}" may ${effect === 'destructive' ? 'destroy something on' : 'change'} the site, but the adapter says effect: ${file.effect}`,
    )
  }
}

/** What a program may do no schema tells: the file says at one place which ones it starts. */
function checkExecutables(file: AdapterFile, plans: Plans): void {
  for (const plan of Object.values(plans))
    for (const { step, params, line } of stepsOf(plan)) {
      const programs = step.executables?.((params ?? {}) as Record<string, unknown>) ?? []
      const missing = programs.find(name => !file.executables.includes(name))
      if (missing !== undefined)
        throw new AdapterProblem(
          line ?? 1,
          `step "${step.name}" starts ${missing}, which the adapter does not declare: add it to executables`,
        )
    }
}

/** Expressions outside of pipelines; those inside are the compiler's. */
function checkExpressions(file: AdapterFile, source: YamlSource): void {
  for (const path of [
    ['auth', 'expect'],
    ['pagination', 'cursor'],
  ] as const) {
    const [key, field] = path
    const written = (file[key] as Record<string, unknown> | undefined)?.[field]
    if (typeof written !== 'string') continue
    try {
      parseExpression(written)
    } catch (error) {
      if (Failure.is(error, 'expression_error')) throw problem(source, path, error.message, error)
      throw error
    }
  }
}

function checkPagination({ pagination, args }: AdapterFile, source: YamlSource): void {
  if (pagination === undefined) return
  for (const key of ['arg', 'size'] as const) {
    const name = pagination[key]
    if (name === undefined) continue
    const place = ['pagination', key]
    const type = args[name]?.type
    if (type === undefined)
      throw problem(source, place, `there is no argument "${name}"; ${didYouMean(name, Object.keys(args))}`)
    if (type !== 'integer' && (key === 'size' || pagination.by !== 'cursor'))
      throw problem(source, place, `the argument "${name}" must be an integer to count with`)
  }
  if (pagination.by === 'cursor' && pagination.cursor === undefined)
    throw problem(source, ['pagination'], 'it does not say where the cursor is: add cursor')
}

function operationOf(file: AdapterFile, place: AdapterPlace, source: YamlSource, plans: Plans): Operation {
  const args = argsOf(file, source)
  const named = (test: (spec: AdapterFile['args'][string]) => boolean): string[] =>
    Object.entries(file.args).flatMap(([name, spec]) => (test(spec) ? [name] : []))
  const needs = new Set(Object.values(plans).flatMap(plan => planFacts(plan).needs))
  const origins = [
    ...file.origins.map(url => new URL(url).origin),
    ...literalOrigins([file.pipeline, file.pipelines]),
  ]
  return {
    id: `${place.site}.${place.command}`,
    site: place.site,
    command: place.command,
    doc: sentence(file.description ?? `Runs ${place.command} on ${place.site}`),
    args,
    positional: named(spec => spec.positional),
    secrets: named(spec => spec.secret),
    effect: file.effect,
    // A write of which nobody says what it risks is not taken for harmless.
    risk: file.risk ?? (file.effect === 'read' ? 'none' : 'unknown'),
    targets: named(spec => spec.target),
    needs: [...needs].toSorted(),
    strategy: file.strategy,
    strategies: STRATEGIES.filter(strategy => plans[strategy] !== undefined),
    example: checkExample(file, args, source),
    columns: file.columns,
    pagination: file.pagination,
    aliases: file.aliases,
    adapterPath: place.file,
    verified: file.verified ?? null,
    alternatives: file.alternatives,
    allowEmpty: file.allow_empty,
    timeoutMs: file.timeout_ms,
    source: {
      kind: 'adapter',
      base: file.base ?? null,
      origins: [...new Set(origins)],
      plans,
      csrf: file.csrf,
      auth: file.auth,
      executables: file.executables,
      env: file.env,
      rate: file.rate,
    },
  }
}

function argsOf(file: AdapterFile, source: YamlSource): Operation['args'] {
  try {
    return argsSchemaOf(file.args)
  } catch (error) {
    if (error instanceof ArgFault)
      throw problem(source, ['args', error.arg], `argument "${error.arg}": ${error.message}`)
    throw error
  }
}

function checkExample(
  file: AdapterFile,
  args: Operation['args'],
  source: YamlSource,
): Record<string, unknown> {
  if (file.example === undefined) {
    const made = exampleOf(file.args, args)
    if (made === null)
      throw problem(source, [], 'it needs an example: its arguments are too particular to make one up')
    return made
  }
  const parsed = args.safeParse(file.example, ONCE)
  if (parsed.success) return file.example
  const { path, text, unknownKey } = schemaProblem(parsed.error, file.example)
  const what = unknownKey === null ? text : `there is no argument "${unknownKey}"`
  throw problem(source, ['example', ...path], `the example does not fit the arguments: ${what}`)
}

const sentence = (text: string): string =>
  /[.!?。！？]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`
