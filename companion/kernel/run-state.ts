import type { Attempt, Evidence, Meta, Strategy } from '../../shared/envelope.ts'
import type { Failure, FailureCode } from '../../shared/failures.ts'
import type { RunBrief } from '../../shared/status.ts'
import type { Verdict } from '../../shared/values.ts'
import type { AccessCheck } from '../ports/access.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { RequestRecord, StepRecord } from '../ports/state.ts'
import type { Invocation, Operation, RunEvent } from './operation.ts'
import type { SeenAnswer } from './seen-answers.ts'

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
  /** Whether an earlier run's strategy was taken, and if not, why not. */
  strategyCache: Meta['strategy_cache'] | null
  /** The site's latest answers to the strategy under way. */
  answers: SeenAnswer[]
  /** Remarks on an answer that is given all the same. */
  notes: string[]
  steps: StepRecord[]
  requests: RequestRecord[]
  evidence: Evidence[]
  verdict: Verdict | null
  place: FailurePlace | null
  state: RunBrief['state']
  /** The step under way; null before the first. */
  step: string | null
  /** Why the run fails when its time is over while it waits for a person. */
  unanswered: Failure | null
  /** How many things that may change something have left: after the first no other strategy is tried. */
  writesSent: number
  /** Of these, how many the site refused without doing anything, as its status says. */
  writesRefused: number
  recorded: boolean
  browser: BrowserSession | null
  /** Judges what the run is about to touch. */
  access: AccessCheck
  /** Whether it may touch an address of the person's browser as things are; nobody is asked. */
  permits: (url: string) => boolean
  /** The person's sites that it has touched, each with the address that it was last touched at. */
  readonly sites: Map<string, string>
  /** Called when the run has ended, however it ended: each ends something that was opened for this run alone. */
  readonly ends: (() => Promise<void>)[]
  /** Sessions of this run alone are closed at its end. */
  ownSession: boolean
}

/** Failures that no other way can mend: trying one would only hide them. */
export const FINAL: ReadonlySet<FailureCode> = new Set([
  'cancelled',
  'deadline_exceeded',
  'approval_denied',
  'expression_error',
  'adapter_invalid',
  'invalid_args',
  'internal',
])

/** Failures that a pipeline must not deal with by itself: also every no of the policy or the person. */
export const isFinal = ({ code, spec }: Failure): boolean => FINAL.has(code) || spec.class === 'policy'

export const emit = (run: Run, event: RunEvent): void => run.invocation.onEvent?.(event)

const SEVERITY: Record<Verdict, number> = { confirmed: 0, unconfirmed: 1, failed: 2 }
/** The worst verdict of a run's acts is the run's. */
export function report(run: Run, verdict: Verdict): void {
  if (run.verdict === null || SEVERITY[verdict] > SEVERITY[run.verdict]) run.verdict = verdict
}

export function briefOf(run: Run): RunBrief {
  const site = [...run.sites.keys()].at(-1)
  return {
    run_id: run.id,
    operation: run.invocation.operation,
    profile: run.browser?.profile.name ?? run.invocation.options.profile ?? null,
    state: run.state,
    started_at: run.startedAt,
    duration_ms: null,
    code: null,
    ...(site !== undefined && { site }),
    ...(run.browser !== null && { session: run.browser.session }),
    ...(run.step !== null && { step: run.step }),
  }
}
