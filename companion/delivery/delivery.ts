import type { Effect, Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { Kernel, RunLimits, Surface } from '../kernel/operation.ts'
import { evaluateText } from '../kernel/template.ts'
import type { Checked, Goal, GoalReport, GoalState, Try } from './goal.ts'

export interface DeliveryParts {
  kernel: Kernel
  surface: Surface
  /** What the caller may do at most; checks and attempts may do no more. */
  limits: RunLimits
  signal: AbortSignal
  /** Absolute, epoch ms: this call ends then, the goal does not. */
  deadline: number
  /** Keeps what is known; called before and after every attempt. */
  save(state: GoalState): void
  progress(text: string): void
  now(): number
}

/** A read that failed in passing is tried again so often. */
const MAX_REPEATS = 2
/** What a call needs to end in order. */
const RESERVE_MS = 2000

/**
 * Works on a goal until its checks hold, nothing is left to try, or only a person can help. What was begun and never
 * ended is not begun again when it may have changed something: the checks alone tell what came of it.
 */
export async function deliver(parts: DeliveryParts, goal: Goal, state: GoalState): Promise<GoalReport> {
  const effects = new Map(
    goal.attempts.map(({ operation }) => [operation, effectOf(parts.kernel, operation)]),
  )
  refuseWritingChecks(parts.kernel, goal)
  settleInterrupted(state, effects)
  const earlier = state.tries.length
  for (;;) {
    const checks = await runChecks(parts, goal)
    const report = (name: GoalReport['state'], by: string | null = null): GoalReport => ({
      goal: goal.goal,
      state: name,
      blocked_by: by,
      checks,
      tries: state.tries,
      tries_left: Math.max(0, goal.max_attempts - state.tries.length),
    })
    if (checks.every(({ holds }) => holds)) return report('satisfied')
    // A check that cannot be asked says nothing: going on could do twice what is done already.
    const shut = checks.find(({ holds, code }) => !holds && code !== null && BLOCKS.has(code))
    if (shut !== undefined) return report('blocked', shut.reason)
    if (checks.some(({ holds, code }) => !holds && code !== null && isPassing(code)))
      return report('in_progress')
    const next = nextAttempt(goal, state, effects, earlier)
    const late = goal.deadline !== undefined && parts.now() >= Date.parse(goal.deadline)
    if (late || state.tries.length >= goal.max_attempts || next === null) {
      const by = late ? null : blockOf(state)
      return by === null ? report('exhausted') : report('blocked', by)
    }
    if (parts.now() >= parts.deadline - RESERVE_MS) return report('in_progress')
    await tryOne(parts, goal, state, next)
  }
}

const effectOf = (kernel: Kernel, id: string): Effect => {
  const operation = kernel.catalogue.get(id)
  if (operation !== null) return operation.effect
  throw new Failure('unknown_operation', { name: id, nearest: kernel.catalogue.nearest(id) })
}

const isWrite = (effect: Effect | undefined): boolean => effect === 'write' || effect === 'destructive'

/** Checks run again and again: they must not change anything. */
function refuseWritingChecks(kernel: Kernel, goal: Goal): void {
  const writing = goal.checks.find(({ operation }) => isWrite(effectOf(kernel, operation)))
  if (writing !== undefined)
    throw new Failure('usage', {
      problem: `The check ${writing.operation} changes something.`,
      hint: 'A check is an operation that reads.',
    })
}

/** A try that a crash cut off: of a write nobody knows what came of it. */
function settleInterrupted(state: GoalState, effects: ReadonlyMap<string, Effect>): void {
  for (const each of state.tries)
    if (each.state === 'started') {
      const isLost = isWrite(effects.get(each.operation))
      each.state = isLost ? 'unknown' : 'failed'
      if (isLost)
        Object.assign(each, { code: 'outcome_unknown', message: 'It was cut off; look at the site first.' })
    }
}

async function runChecks(parts: DeliveryParts, goal: Goal): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { operation, args, expect } of goal.checks) {
    parts.progress(`checks ${operation}`)
    const envelope = await run(parts, operation, args)
    checked.push({ operation, run_id: envelope.meta.run_id, ...judged(envelope, expect) })
  }
  return checked
}

function judged(envelope: Envelope, expect: string): Pick<Checked, 'holds' | 'code' | 'reason'> {
  const { ok, data, meta, error } = envelope
  const code = error?.code ?? null
  try {
    if (evaluateText(expect, { ok, data, meta, error })) return { holds: true, code, reason: null }
  } catch (cause) {
    // Of an answer that is no answer, an expression about its data says nothing.
    if (ok || !Failure.is(cause, 'expression_error')) throw cause
  }
  return {
    holds: false,
    code,
    reason: error === null ? `"${expect}" does not hold` : `${error.code}: ${error.message}`,
  }
}

async function run(
  parts: DeliveryParts,
  operation: string,
  args: Record<string, unknown>,
): Promise<Envelope> {
  const { kernel, surface, limits, signal } = parts
  const timeout_ms = Math.max(1000, Math.floor(parts.deadline - parts.now()))
  const envelope = await kernel.run({ operation, args, options: { ...limits, timeout_ms }, surface, signal })
  if (signal.aborted) throw Failure.from(signal.reason)
  return envelope
}

/** The first alternative that may still help; null when there is none. `earlier` tries are of calls before this one. */
function nextAttempt(
  goal: Goal,
  { tries }: GoalState,
  effects: ReadonlyMap<string, Effect>,
  earlier: number,
): number | null {
  // Whether it happened, nobody knows: doing the same by another way could do it twice.
  const isOpen = tries.some(each => each.state === 'unknown')
  const index = goal.attempts.findIndex(({ operation }, attempt) => {
    const writes = isWrite(effects.get(operation))
    if (isOpen && writes) return false
    const own = tries.filter(each => each.attempt === attempt)
    const last = own.at(-1)
    if (last === undefined) return true
    if (last.state !== 'failed') return false
    // A refusal that came first did nothing, and the person may have lifted it since the call that met it.
    if (tries.indexOf(last) < earlier && REFUSED.has(last.code ?? '') && !last.wrote) return true
    return isPassing(last.code) && !writes && own.length <= MAX_REPEATS
  })
  return index === -1 ? null : index
}

/** Refusals that mostly come before anything is done. */
const REFUSED = new Set([
  'auth_required',
  'challenge_required',
  'csrf_not_found',
  'approval_required',
  'policy_denied',
])

const PASSING = new Set([
  'rate_limited',
  'deadline_exceeded',
  'network_error',
  'link_lost',
  'upstream_unavailable',
  'navigation_failed',
  'element_not_ready',
])
/** Null: it was cut off before it told anything. */
const isPassing = (code: string | null): boolean => code === null || PASSING.has(code)

async function tryOne(parts: DeliveryParts, goal: Goal, state: GoalState, attempt: number): Promise<void> {
  const { operation, args } = goal.attempts[attempt] ?? { operation: '', args: {} }
  const entry: Try = {
    attempt,
    operation,
    state: 'started',
    code: null,
    message: null,
    run_id: null,
    wrote: false,
    at: new Date(parts.now()).toISOString(),
  }
  state.tries.push(entry)
  parts.save(state)
  parts.progress(`tries ${operation}`)
  const envelope = await run(parts, operation, args)
  entry.run_id = envelope.meta.run_id
  entry.state = envelope.ok ? 'done' : envelope.error.code === 'outcome_unknown' ? 'unknown' : 'failed'
  entry.wrote = envelope.meta.wrote === true
  entry.code = envelope.error?.code ?? null
  entry.message = envelope.error?.message ?? null
  parts.save(state)
}

/** What only a person can do for an attempt: a login, a challenge, an allowance. */
function blockOf({ tries }: GoalState): string | null {
  const blocked = tries.find(({ code }) => code !== null && BLOCKS.has(code))
  return blocked === undefined ? null : `${blocked.code}: ${blocked.message}`
}

const BLOCKS = new Set([
  'outcome_unknown',
  'auth_required',
  'challenge_required',
  'permission_denied',
  'csrf_not_found',
  'approval_required',
  'approval_denied',
  'policy_denied',
])
