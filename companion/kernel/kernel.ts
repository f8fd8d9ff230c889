import { randomUUID } from 'node:crypto'
import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { LedgerPort } from '../ports/state.ts'
import { type ActPorts, act } from './act.ts'
import { ApprovalDesk } from './approvals.ts'
import { failureOf, successOf } from './envelopes.ts'
import { deadline } from './layers/deadline.ts'
import { govern } from './layers/govern.ts'
import { type Layer, through } from './layers/layer.ts'
import { record } from './layers/record.ts'
import { resolve } from './layers/resolve.ts'
import { validate } from './layers/validate.ts'
import type { Catalogue, Invocation, Kernel, RunEvent } from './operation.ts'
import { briefOf, emit, type Run } from './run-state.ts'
import type { AnyStep } from './step.ts'

export interface KernelParts extends ActPorts {
  catalogue: Catalogue
  steps: ReadonlyMap<string, AnyStep>
  ledger: LedgerPort
  /** Something that the status record shows has changed. */
  onChange: () => void
  /** Events of every run, beside the caller's own. */
  onEvent: (event: RunEvent) => void
  /** A fault of ours, or a clean-up that failed: for the log. */
  onFault: (error: unknown, run: { run_id: string; operation: string }) => void
}

/** How long the clean-up after a run may take; it never holds the answer back. */
const CLEANUP_MS = 3000

/** The one kernel: every surface calls `run` and formats the envelope that it gives. */
export function createKernel(parts: KernelParts): Kernel {
  const running = new Map<string, Run>()
  const desk = new ApprovalDesk(parts.onChange)
  const layers: Layer[] = [
    resolve(parts.catalogue),
    record(parts.ledger),
    deadline(parts.config),
    validate,
    govern(parts.config, desk),
  ]

  const onEvent = (invocation: Invocation) => (event: RunEvent) => {
    invocation.onEvent?.(event)
    parts.onEvent(event)
  }

  async function run(invocation: Invocation): Promise<Envelope> {
    const state = begin({ ...invocation, onEvent: onEvent(invocation) })
    running.set(state.id, state)
    parts.onChange()
    const onClientGone = () => state.abort.abort(new Failure('cancelled', { by: 'client' }))
    if (invocation.signal.aborted) onClientGone()
    else invocation.signal.addEventListener('abort', onClientGone, { once: true })
    emit(state, { type: 'started', run_id: state.id, operation: invocation.operation, at: state.startedAt })
    const envelope = await perform(state)
    invocation.signal.removeEventListener('abort', onClientGone)
    running.delete(state.id)
    finish(state, envelope)
    return envelope
  }

  async function perform(state: Run): Promise<Envelope> {
    try {
      const data = await through(layers, state, () => {
        if (state.operation === null) throw new Failure('internal', { reason: 'act before resolve' })
        return act(state, state.operation, parts, parts.steps)
      })
      return successOf(state, data)
    } catch (error) {
      if (!Failure.is(error) || error.code === 'internal')
        parts.onFault(error, { run_id: state.id, operation: state.invocation.operation })
      return failureOf(state, error)
    }
  }

  function finish(state: Run, envelope: Envelope): void {
    if (state.recorded) {
      for (const step of state.steps) parts.ledger.step(step)
      parts.ledger.finish(state.id, envelope)
    }
    if (state.ownSession && state.browser !== null)
      state.browser
        .call(
          'session.close',
          {},
          { signal: AbortSignal.timeout(CLEANUP_MS), deadline: Date.now() + CLEANUP_MS },
        )
        .catch((error: unknown) => parts.onFault(error, { run_id: state.id, operation: 'session.close' }))
    parts.onChange()
  }

  return {
    catalogue: parts.catalogue,
    run,
    running: () => [...running.values()].map(briefOf),
    stop: (filter, by) => {
      const hit = [...running.values()].filter(state => matches(state, filter))
      for (const state of hit) state.abort.abort(new Failure('cancelled', { by }))
      return hit.length
    },
    approvals: () => desk.list(),
    answer: (id, allow) => desk.settle(id, allow),
  }
}

const matches = (run: Run, filter: { profile?: string | undefined; run_id?: string | undefined }): boolean =>
  (filter.run_id === undefined || run.id === filter.run_id) &&
  (filter.profile === undefined || run.browser?.profile.id === filter.profile)

function begin(invocation: Invocation): Run {
  return {
    id: randomUUID().replaceAll('-', '').slice(0, 16),
    invocation,
    startedAt: Date.now(),
    abort: new AbortController(),
    deadline: Number.POSITIVE_INFINITY,
    operation: null,
    args: {},
    strategy: null,
    strategySource: null,
    attempts: [],
    steps: [],
    evidence: [],
    verdict: null,
    place: null,
    state: 'running',
    writeSent: false,
    recorded: false,
    browser: null,
    ownSession: false,
  }
}
