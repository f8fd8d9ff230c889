import type { Attempt, Evidence, Strategy } from '../../shared/envelope.ts'
import type { RunBrief } from '../../shared/status.ts'
import type { Verdict } from '../../shared/values.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { AccessCheck } from '../ports/access.ts'
import type { StepRecord } from '../ports/state.ts'
import type { Invocation, Operation, RunEvent } from './operation.ts'

/** Where a run failed: the innermost step that threw. */
export interface FailurePlace {
  step: string
  index: number
  path: string
  line: number | null
}

/** One run while it goes on. Layers read and write it; nothing of it outlives the run but the envelope. */
export interface Run {
  readonly id: string
  readonly invocation: Invocation
  readonly startedAt: number
  /** Aborts on client disconnect, a person's stop, or the deadline. */
  readonly abort: AbortController
  /** Absolute, epoch ms; set by the deadline layer. */
  deadline: number
  operation: Operation | null
  /** Validated, with defaults. */
  args: Record<string, unknown>
  strategy: Strategy | null
  strategySource: 'declared' | 'cache' | 'probe' | 'asked' | null
  attempts: Attempt[]
  steps: StepRecord[]
  evidence: Evidence[]
  verdict: Verdict | null
  place: FailurePlace | null
  state: RunBrief['state']
  /** True once anything that may change the site has left: from then on nothing is tried again. */
  writeSent: boolean
  recorded: boolean
  browser: BrowserSession | null
  /** Judges what the run is about to touch. */
  access: AccessCheck
  /** Called when the run has ended, however it ended: each ends something that was opened for this run alone. */
  readonly ends: (() => Promise<void>)[]
  /** Sessions of this run alone are closed at its end. */
  ownSession: boolean
}

export const emit = (run: Run, event: RunEvent): void => run.invocation.onEvent?.(event)

const SEVERITY: Record<Verdict, number> = { confirmed: 0, unconfirmed: 1, failed: 2 }
/** The worst verdict of a run's acts is the run's. */
export function report(run: Run, verdict: Verdict): void {
  if (run.verdict === null || SEVERITY[verdict] > SEVERITY[run.verdict]) run.verdict = verdict
}

export function briefOf(run: Run): RunBrief {
  return {
    run_id: run.id,
    operation: run.invocation.operation,
    profile: run.browser?.profile.name ?? run.invocation.options.profile ?? null,
    state: run.state,
    started_at: run.startedAt,
    duration_ms: null,
    code: null,
  }
}
