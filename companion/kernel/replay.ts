import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { LedgerPort, RunRecord } from '../ports/state.ts'
import { type ShapeChange, shapeChange, shapeOf } from './answer-shape.ts'
import type { Kernel, RunOptions, Surface } from './operation.ts'
import { REDACTED } from './redact.ts'
import { RunOptionsSchema } from './run-options.ts'
import { SECRET } from './secrecy.ts'

interface Ending {
  run_id: string
  state: string
  code: string | null
  count: number | null
  duration_ms: number | null
}

/** How a run of the ledger went when it was asked again. */
export interface Replay {
  operation: string
  was: Ending
  is: Ending
  /** Null when one of both has no data. */
  change: ShapeChange | null
}

export interface ReplayCall {
  kernel: Pick<Kernel, 'catalogue' | 'run'>
  ledger: Pick<LedgerPort, 'get'>
  runId: string
  /** A person wants what changes something to be done once more. The policy is asked all the same. */
  yes: boolean
  surface: Surface
  signal: AbortSignal
}

/**
 * Runs once more what a run of the ledger did, with the same arguments and options, and tells what is different.
 *
 * @throws not_found, policy_denied (a write without `yes`), usage (its arguments were secret), unknown_operation
 */
export async function replay({ kernel, ledger, runId, yes, surface, signal }: ReplayCall): Promise<Replay> {
  const run = recordOf(ledger, runId)
  const operation = kernel.catalogue.get(run.operation)
  if (operation === null)
    throw new Failure('unknown_operation', {
      name: run.operation,
      nearest: kernel.catalogue.nearest(run.operation),
    })
  if (!yes && (operation.effect === 'write' || operation.effect === 'destructive'))
    throw new Failure('policy_denied', {
      operation: run.operation,
      rule: 'what changes something is run again only with yes',
    })
  const envelope = await kernel.run({
    operation: run.operation,
    args: keptArgs(run),
    options: keptOptions(run),
    surface,
    signal,
  })
  const change = run.shape === null || !envelope.ok ? null : shapeChange(run.shape, shapeOf(envelope.data))
  return { operation: run.operation, was: endOf(run), is: endOfEnvelope(envelope), change }
}

/** Fails with not_found. */
export function recordOf(ledger: Pick<LedgerPort, 'get'>, runId: string): RunRecord {
  const run = ledger.get(runId)
  if (run !== null) return run
  throw new Failure('not_found', {
    what: `The run "${runId}"`,
    hint: 'Run "unicli runs list" for the ids of those that are kept.',
  })
}

function keptArgs(run: RunRecord): Record<string, unknown> {
  const text = JSON.stringify(run.args)
  if (!text.includes(SECRET) && !text.includes(REDACTED)) return run.args
  throw new Failure('usage', {
    problem: `The run ${run.run_id} had secrets among its arguments, and those are not kept.`,
    hint: `Call it anew: unicli ${run.operation.replace('.', ' ')} --help`,
  })
}

/** Of an older version, an option may be unknown by now: then none count. */
const keptOptions = (run: RunRecord): RunOptions => RunOptionsSchema.safeParse(run.options).data ?? {}

const endOf = ({ run_id, state, code, shape, duration_ms }: RunRecord): Ending => ({
  ...{ run_id, state, code, count: shape?.count ?? null, duration_ms },
})

const endOfEnvelope = ({ ok, error, meta }: Envelope): Ending => ({
  run_id: meta.run_id,
  state: ok ? 'ok' : 'failed',
  code: error?.code ?? null,
  count: meta.count,
  duration_ms: meta.duration_ms,
})
