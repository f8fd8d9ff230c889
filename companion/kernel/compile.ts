import { Failure } from '../../shared/failures.ts'
import { parseExpression } from './expression.ts'
import { didYouMean } from './nearest.ts'
import { exceeds, planFacts } from './plan-facts.ts'
import { type FieldMeta, fieldsOf, formFor, metaOf, objectForm, problemOf } from './schema-shape.ts'
import type { AnyStep, Plan, PlannedStep } from './step.ts'
import { checkTemplates, hasTemplate } from './template.ts'

type Path = readonly (string | number)[]

/** A fault in a pipeline with the place where it is, for the loader to turn into file and line. */
export class PlanFault extends Error {
  override readonly name = 'PlanFault'
  readonly path: Path
  constructor(path: Path, reason: string) {
    super(reason)
    this.path = path
  }
}

export interface CompileContext {
  /** Step names and aliases. */
  steps: ReadonlyMap<string, AnyStep>
  /** Line of a path in the file, 1-based; null when there is no file. */
  line: (path: Path) => number | null
}

/**
 * Turns a pipeline as written into a plan: each step known, each option key known, each template parsed, each
 * value that holds no template of the right type. Throws PlanFault.
 */
export function compilePlan(raw: unknown, context: CompileContext, path: Path = ['pipeline']): Plan {
  if (!Array.isArray(raw)) throw new PlanFault(path, 'a pipeline is a list of steps')
  return raw.map((entry: unknown, index) => compileStep(entry, context, [...path, index]))
}

function compileStep(entry: unknown, context: CompileContext, path: Path): PlannedStep {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new PlanFault(path, 'a step is an object with one key, its name')
  const keys = Object.keys(entry)
  const [name] = keys
  if (name === undefined || keys.length > 1)
    throw new PlanFault(path, `a step has one key, its name; here are ${keys.length}: ${keys.join(', ')}`)
  const step = context.steps.get(name)
  if (step === undefined)
    throw new PlanFault(
      [...path, name],
      `unknown step "${name}"; ${didYouMean(name, [...context.steps.keys()])}`,
    )
  const params = compileParams(step, (entry as Record<string, unknown>)[name], context, [...path, name])
  return { step, params, line: context.line([...path, name]) }
}

function compileParams(step: AnyStep, raw: unknown, context: CompileContext, path: Path): unknown {
  const params = raw ?? {}
  const form = objectForm(step.schema)
  if (form === null || formFor(step.schema, params) !== form) {
    checkValue(step.schema, params, path)
    return params
  }
  const given = params as Record<string, unknown>
  const known = Object.keys(form.shape)
  for (const key of Object.keys(given))
    if (!known.includes(key))
      throw new PlanFault(
        [...path, key],
        `step "${step.name}" has no option "${key}"; ${didYouMean(key, known)}`,
      )
  const out: Record<string, unknown> = { ...given }
  for (const [name, schema, meta] of fieldsOf(form)) {
    const value = given[name]
    if (value === undefined) {
      if (!schema.safeParse(undefined).success)
        throw new PlanFault(path, `step "${step.name}" needs its option "${name}"`)
    } else if (meta.plan || meta.plans) out[name] = compileNested(step, value, meta, context, [...path, name])
    else checkValue(schema, value, [...path, name])
  }
  return out
}

/** One pipeline, or a list or record of them. */
function compileNested(
  step: AnyStep,
  value: unknown,
  meta: FieldMeta,
  context: CompileContext,
  path: Path,
): unknown {
  if (meta.plan) {
    const plan = compilePlan(value, context, path)
    const { effect, by } = planFacts(plan)
    if (meta.reads && exceeds(effect, 'read'))
      throw new PlanFault(
        path,
        `"${step.name}" runs only what changes nothing, since it may run it again: "${by?.step.name}" may`,
      )
    return plan
  }
  if (Array.isArray(value))
    return value.map((each: unknown, index) => compilePlan(each, context, [...path, index]))
  if (typeof value !== 'object' || value === null)
    throw new PlanFault(path, 'pipelines are wanted, each of them a list of steps')
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, compilePlan(each, context, [...path, name])]),
  )
}

/** A value with templates is only known at run time; one without must fit now. */
function checkValue(schema: AnyStep['schema'], value: unknown, path: Path): void {
  try {
    if (metaOf(schema).expression && typeof value === 'string') parseExpression(value)
    else checkTemplates(value)
  } catch (error) {
    if (Failure.is(error, 'expression_error')) throw new PlanFault(path, error.message)
    throw error
  }
  if (hasTemplate(value)) return
  const result = schema.safeParse(value)
  if (result.success) return
  const problem = problemOf(result.error)
  const hint = problem.unknownKeys.length > 0 ? `unknown key ${problem.unknownKeys.join(', ')}` : problem.text
  throw new PlanFault([...path, ...problem.path], hint)
}
