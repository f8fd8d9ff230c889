import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import { emit, type FailurePlace, isFinal, type Run, report } from './run-state.ts'
import { fieldsOf, formFor, metaOf, objectForm, problemOf } from './schema-shape.ts'
import type {
  AnyStep,
  Attempted,
  PerRow,
  Plan,
  PlannedStep,
  Scope,
  StepContext,
  StepPorts,
  StepTools,
} from './step.ts'
import { compileText, compileValue, evaluateText, type Filled, renderValue } from './template.ts'

/** What a plan runs in: the run, the ports of its strategy, and the scope of its templates. */
export interface PlanContext {
  run: Run
  ports: StepPorts
  scope: Scope
  /** Place in nested pipelines, such as "3.then". */
  path: string
  /** Templates in params stay text: they came from a caller, not from an adapter. */
  literal: boolean
}

/** Runs steps in order, each on the answer of the one before. Throws the failure of the step that failed. */
export async function runPlan(plan: Plan, context: PlanContext): Promise<unknown> {
  let data = context.scope.data
  for (const [index, planned] of plan.entries()) data = await runStep(planned, index, data, context)
  return data
}

/** Where each failure began, for one that a step has looked at and thrown again. */
const PLACES = new WeakMap<Failure, FailurePlace>()

async function runStep(
  planned: PlannedStep,
  index: number,
  data: unknown,
  context: PlanContext,
): Promise<unknown> {
  const { run } = context
  const path = context.path === '' ? String(index) : `${context.path}.${index}`
  const started = Date.now()
  const event = { type: 'step', run_id: run.id, path, step: planned.step.name } as const
  const record = (code: string | null) =>
    run.steps.push({
      run_id: run.id,
      index: run.steps.length,
      path,
      step: planned.step.name,
      started_at: started,
      duration_ms: Date.now() - started,
      code,
    })
  run.step = planned.step.name
  emit(run, { ...event, state: 'started', duration_ms: null })
  try {
    const ctx = contextOf(planned.step, data, path, context)
    const params = prepareParams(planned.step, planned.params, ctx)
    // No step outlives its deadline for the caller.
    const result = await orAborted(planned.step.run(ctx, params as never), run.abort.signal)
    record(null)
    run.invocation.trace?.({ planned, scope: { ...context.scope, data }, output: result, failure: null })
    emit(run, { ...event, state: 'done', duration_ms: Date.now() - started })
    return result
  } catch (error) {
    const failure = named(
      Failure.from(run.abort.signal.aborted ? run.abort.signal.reason : error),
      planned.step,
    )
    record(failure.code)
    run.invocation.trace?.({ planned, scope: { ...context.scope, data }, output: null, failure })
    const place = PLACES.get(failure) ?? { step: planned.step.name, index, path, line: planned.line }
    PLACES.set(failure, place)
    run.place ??= place
    emit(run, { ...event, state: 'failed', duration_ms: Date.now() - started })
    throw failure
  }
}

/** The agent in a page knows which argument is not right, but not of which operation of the browser. */
function named(failure: Failure, { site, command, name }: AnyStep): Failure {
  if (!Failure.is(failure, 'invalid_args') || failure.params.operation !== site) return failure
  const params = { ...failure.params, operation: `${site}.${command ?? name}` }
  return new Failure('invalid_args', params, { cause: failure })
}

/** Renders templates and parses the result by the schema, so that a step sees typed values only. */
export function prepareParams(step: AnyStep, raw: unknown, tools: Pick<StepTools, 'render'>): unknown {
  const form = formFor(step.schema, raw)
  const rendered =
    form === objectForm(step.schema) ? renderFields(form, raw, tools) : renderWhole(step, raw, tools)
  const parsed = step.schema.safeParse(rendered)
  if (parsed.success) return parsed.data
  const problem = problemOf(parsed.error)
  const place = problem.path.length === 0 ? '' : ` in "${problem.path.join('.')}"`
  throw new Failure('adapter_invalid', {
    file: `step ${step.name}`,
    line: null,
    reason: `${problem.text}${place}`,
  })
}

const renderWhole = (step: AnyStep, raw: unknown, tools: Pick<StepTools, 'render'>): unknown =>
  metaOf(step.schema).rendered ? tools.render(raw) : raw

function renderFields(form: AnyStep['schema'], raw: unknown, tools: Pick<StepTools, 'render'>): unknown {
  const object = objectForm(form)
  if (object === null) return raw
  const out: Record<string, unknown> = { ...(raw as Record<string, unknown>) }
  for (const [name, , meta] of fieldsOf(object))
    if (meta.rendered && Object.hasOwn(out, name)) out[name] = tools.render(out[name])
  return out
}

/** One scope serves all rows: expressions run at once and keep nothing of it. */
function perRow(filled: Filled, names: Record<string, unknown>): PerRow {
  return (item, index) => {
    names.item = item
    names.index = index
    return filled(names)
  }
}

async function attempt(run: Run, work: () => Promise<unknown>): Promise<Attempted> {
  const { writesSent, place } = run
  try {
    return { ok: true, data: await work() }
  } catch (error) {
    const failure = Failure.from(error)
    if (run.abort.signal.aborted || isFinal(failure)) throw failure
    // What is dealt with is not where the run failed.
    run.place = place
    return { ok: false, failure, wrote: run.writesSent > writesSent }
  }
}

function contextOf(
  step: AnyStep,
  data: unknown,
  path: string,
  context: PlanContext,
): StepContext<keyof StepPorts> {
  const { run } = context
  const scope: Scope = { ...context.scope, data }
  const names = (extra?: Partial<Scope>) => ({ ...scope, ...extra }) as unknown as Record<string, unknown>
  const tools: StepTools = {
    data,
    scope,
    signal: run.abort.signal,
    deadline: run.deadline,
    render: (value, extra) => (context.literal ? value : renderValue(value, names(extra))),
    evaluate: (expression, extra) => evaluateText(expression, names(extra)),
    renderer: value => (context.literal ? () => value : perRow(compileValue(value), names())),
    evaluator: expression => perRow(compileText(expression), names()),
    run: (plan, input, extra) =>
      runPlan(plan as Plan, { ...context, path, scope: { ...scope, ...extra, data: input } }),
    attempt: (plan, input, extra) => attempt(run, () => tools.run(plan, input, extra)),
    setVars: values => Object.assign(context.scope.vars, values),
    report: verdict => report(run, verdict),
    progress: text => emit(run, { type: 'progress', run_id: run.id, text }),
  }
  const granted = step.needs.map(
    need => [need, { enumerable: true, get: () => context.ports[need] }] as const,
  )
  // Only what `needs` names is there, at run time as in the types; getters keep a browser unopened until used.
  return Object.defineProperties(tools, Object.fromEntries(granted)) as StepContext<keyof StepPorts>
}
