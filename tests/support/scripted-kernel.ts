import { z } from 'zod'
import { errorInfoOf } from '../../companion/kernel/envelopes.ts'
import type { Catalogue, Invocation, Kernel, Operation, RunEvent } from '../../companion/kernel/operation.ts'
import { isProjected, project } from '../../companion/kernel/projection.ts'
import { objectForm } from '../../companion/kernel/schema-shape.ts'
import type { AnyStep } from '../../companion/kernel/step.ts'
import { STEPS } from '../../companion/steps/index.ts'
import type { Envelope, Meta } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { Lasting } from '../../shared/policy.ts'
import type { ApprovalBrief } from '../../shared/status.ts'

/** What a scripted operation can see and do while it "runs". */
export interface ScriptedCall {
  args: Record<string, unknown>
  invocation: Invocation
  runId: string
  emit(event: RunEvent): void
  /** Rejects with `cancelled` once the caller is gone; never resolves. */
  untilCancelled(): Promise<never>
}

export interface Script {
  operation: Operation
  /** Its result is the envelope's data; a Failure thrown becomes the envelope's error. */
  run(call: ScriptedCall): unknown
}

export interface ScriptedKernel extends Kernel {
  /** Every invocation that came, in order. */
  readonly invocations: Invocation[]
  /** Lets an approval wait. */
  ask(approval: ApprovalBrief): void
  /** What `answer` was called with. */
  readonly answers: [id: string, allow: boolean, lasts?: Lasting, reply?: string][]
}

/**
 * A kernel in memory for tests of the surfaces: a fake. It checks arguments and makes envelopes as the contract
 * says, but runs scripts of the test in place of pipelines; it knows no policy, deadline, ledger or strategy.
 */
export function scriptedKernel(scripts: readonly Script[]): ScriptedKernel {
  const byId = new Map(scripts.map(script => [script.operation.id, script]))
  const waiting = new Map<string, ApprovalBrief>()
  const invocations: Invocation[] = []
  const answers: ScriptedKernel['answers'] = []
  return {
    catalogue: catalogueOf(scripts.map(script => script.operation)),
    invocations,
    answers,
    run: invocation => {
      invocations.push(invocation)
      return perform(byId, invocation, `run${invocations.length}`)
    },
    running: () => [],
    stop: () => 0,
    putSite: () => undefined,
    forgetSite: () => 0,
    approvals: () => [...waiting.values()],
    answer: (id, allow, lasts = 'once', reply) => {
      if (reply !== undefined) answers.push([id, allow, lasts, reply])
      else answers.push(lasts === 'once' ? [id, allow] : [id, allow, lasts])
      return waiting.delete(id)
    },
    ask: approval => waiting.set(approval.id, approval),
  }
}

/** An operation whose every field has a plain value; `over` says what matters to the test. */
export function operationOf(id: string, over: Partial<Operation> = {}): Operation {
  const [site = '', command = ''] = id.split('.')
  return {
    id,
    site,
    command,
    doc: `Does ${command} at ${site}.`,
    args: z.strictObject({}),
    positional: [],
    secrets: [],
    effect: 'read',
    needs: [],
    strategy: 'public',
    strategies: ['public'],
    example: {},
    columns: [],
    aliases: [],
    adapterPath: `adapters/${site}/${command}.yaml`,
    verified: null,
    alternatives: [],
    allowEmpty: true,
    source: { kind: 'step', step: command },
    ...over,
  }
}

/** Needs an argument and answers rows. */
export const search: Script = {
  operation: operationOf('wiki.search', {
    doc: 'Search the pages.',
    args: z.strictObject({ query: z.string(), limit: z.int().default(10) }),
    example: { query: 'cats' },
  }),
  run: ({ args }) => [{ title: args.query }],
}

/** Ends only when it is cancelled. */
export const slow: Script = { operation: operationOf('slow.wait'), run: call => call.untilCancelled() }

/** Tells its progress three times. */
export const steps: Script = {
  operation: operationOf('steps.three'),
  run: ({ emit, runId }) => {
    for (const text of ['one', 'two', 'three']) emit({ type: 'progress', run_id: runId, text })
    return 'done'
  },
}

/** The browser's own operations, from the real steps, as the catalogue shows them. */
export const browserOperations = (): Operation[] =>
  [...STEPS.values()]
    .filter(step => step.site === 'browser')
    .map(browserOperation)
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))

function browserOperation(step: AnyStep): Operation {
  const args = objectForm(step.schema)
  if (args === null) throw new Error(`${step.name} has no object form`)
  const effect = step.effect === 'inherits' ? 'pure' : step.effect
  return operationOf(`browser.${step.name}`, {
    doc: step.doc,
    args,
    effect,
    needs: step.needs,
    isProminent: step.isProminent,
    rareArgs: step.rareOptions,
    strategy: null,
    strategies: [],
    example: step.example as Record<string, unknown>,
    adapterPath: null,
  })
}

function catalogueOf(operations: readonly Operation[]): Catalogue {
  const sorted = operations.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const words = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/)
  return {
    get: id => sorted.find(operation => operation.id === id) ?? null,
    list: () => sorted,
    search: (query, limit) =>
      sorted
        .filter(operation => {
          const has = new Set([...words(operation.id), ...words(operation.doc)])
          return words(query).some(word => has.has(word))
        })
        .slice(0, limit)
        .map(operation => ({ operation, score: 1 })),
    nearest: name => sorted.map(operation => operation.id).filter(id => id[0] === name[0]),
    faults: () => [],
  }
}

async function perform(
  scripts: ReadonlyMap<string, Script>,
  invocation: Invocation,
  runId: string,
): Promise<Envelope> {
  const script = scripts.get(invocation.operation)
  const emit = (event: RunEvent) => invocation.onEvent?.(event)
  emit({ type: 'started', run_id: runId, operation: invocation.operation, at: Date.now() })
  const meta = metaOf(invocation, script?.operation, runId)
  try {
    if (script === undefined)
      throw new Failure('unknown_operation', { name: invocation.operation, nearest: [...scripts.keys()] })
    const args = script.operation.args.safeParse(invocation.args)
    if (!args.success)
      throw new Failure('invalid_args', {
        operation: invocation.operation,
        problems: args.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`),
      })
    const call = {
      args: args.data,
      invocation,
      runId,
      emit,
      untilCancelled: () => untilCancelled(invocation),
    }
    const data = await scriptedData(script, call)
    const count = Array.isArray(data) ? data.length : null
    const value = data ?? null
    return {
      ok: true,
      version: 'v2',
      data: value,
      meta: { ...meta, count },
      ...NOTHING,
      error: null,
      exit_code: 0,
    }
  } catch (error) {
    const failure = Failure.from(error)
    return {
      ok: false,
      version: 'v2',
      data: null,
      meta,
      ...NOTHING,
      error: { ...errorInfoOf(failure), adapter_path: script?.operation.adapterPath ?? null },
      exit_code: failure.spec.exit,
    }
  }
}

async function scriptedData(script: Script, call: ScriptedCall): Promise<unknown> {
  const data = await script.run(call)
  const { options } = call.invocation
  return isProjected(options) ? (await project(data, options)).data : data
}

const NOTHING = { evidence: [] }

function metaOf(invocation: Invocation, operation: Operation | undefined, runId: string): Meta {
  const [site = '', command = ''] = invocation.operation.split('.')
  return {
    site,
    command,
    strategy: operation?.strategy === 'auto' ? null : (operation?.strategy ?? null),
    strategy_source: operation?.strategy === null ? null : 'declared',
    duration_ms: 1,
    count: null,
    adapter_path: operation?.adapterPath ?? null,
    run_id: runId,
    effect: operation?.effect ?? 'pure',
    verdict: null,
    profile: invocation.options.profile ?? null,
    session: invocation.options.session ?? null,
  }
}

const untilCancelled = ({ signal }: Invocation): Promise<never> =>
  new Promise((_, reject) => {
    const cancel = () => reject(new Failure('cancelled', { by: 'client' }))
    if (signal.aborted) cancel()
    else signal.addEventListener('abort', cancel, { once: true })
  })
