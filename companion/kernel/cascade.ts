import { STRATEGIES, type Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { EvidencePort, StrategyCachePort, StrategyKey } from '../ports/state.ts'
import type { Operation } from './operation.ts'
import { emit, FINAL, type Run } from './run-state.ts'
import { keepAnswer } from './seen-answers.ts'

/** What a cascade is built on. */
export interface CascadeParts {
  cache: StrategyCachePort
  /** How one strategy is run; gives its data or throws its failure. */
  attempt: (strategy: Strategy) => Promise<unknown>
  /** Stands for whoever is logged in at the site; null when nobody can tell. */
  login: () => Promise<string | null>
  evidence: EvidencePort
}

/**
 * Runs an operation by its declared or asked strategy, or, when it is `auto`, by the cached one, else by each in
 * order until one gives parseable data. What answered is cached by operation and profile, as long as the same person
 * is logged in and the site answers as it did.
 */
export async function cascade(run: Run, operation: Operation, parts: CascadeParts): Promise<unknown> {
  const asked = run.invocation.options.strategy ?? operation.strategy
  if (asked !== 'auto' && asked !== null) {
    run.strategy = asked
    run.strategySource = run.invocation.options.strategy === undefined ? 'declared' : 'asked'
    try {
      return await parts.attempt(asked)
    } catch (error) {
      showAnswer(run, Failure.from(error), parts.evidence)
      throw error
    }
  }
  const key = { operation: operation.id, profile: run.invocation.options.profile ?? '' }
  const tried = await fromCache(run, operation, key, parts)
  if (tried !== null && 'data' in tried) return tried.data
  return probe(run, operation, parts, tried?.strategy ?? null, async strategy => {
    parts.cache.put(key, strategy, strategy === 'public' ? null : await parts.login())
  })
}

/** The cached strategy's data; which one failed, for the others to be tried; or null, when none is to be taken. */
async function fromCache(
  run: Run,
  operation: Operation,
  key: StrategyKey,
  parts: CascadeParts,
): Promise<{ strategy: Strategy; data?: unknown } | null> {
  const cached = parts.cache.get(key)
  if (cached === null || !operation.strategies.includes(cached.strategy)) return null
  const { strategy, login, expiresAt } = cached
  const expires = new Date(expiresAt).toISOString()
  const forget = (reason: string): void => {
    parts.cache.drop(key)
    run.strategyCache = { used: false, reason, expires: null }
  }
  const now = login === null ? null : await parts.login()
  if (login !== null && now !== null && login !== now) {
    forget('somebody logged in or out since')
    return null
  }
  const outcome = await tryOne(run, strategy, parts)
  run.strategyCache = { used: outcome.ok, reason: null, expires }
  if (outcome.ok) return { strategy, data: settle(run, strategy, 'cache', outcome.data) }
  const { failure } = outcome
  // It has answered before, so nothing found is its answer.
  if (isFinal(run, failure) || failure.code === 'empty_result') throw failure
  if (failure.code === 'auth_required') forget('it wants a login')
  else if (failure.spec.class === 'drift') forget(`the site changed (${failure.code})`)
  else if (failure.spec.class !== 'environment') forget(`it failed (${failure.code})`)
  // A limit or an outage passes: what is known of the strategy stays.
  else run.strategyCache = { used: false, reason: `it failed for now (${failure.code})`, expires }
  return { strategy }
}

async function probe(
  run: Run,
  operation: Operation,
  parts: CascadeParts,
  skip: Strategy | null,
  found: (strategy: Strategy) => Promise<void>,
): Promise<unknown> {
  const order = STRATEGIES.filter(strategy => operation.strategies.includes(strategy) && strategy !== skip)
  const failures: Failure[] = []
  for (const strategy of order) {
    const outcome = await tryOne(run, strategy, parts)
    if (outcome.ok) {
      await found(strategy)
      return settle(run, strategy, 'probe', outcome.data)
    }
    if (isFinal(run, outcome.failure)) throw outcome.failure
    failures.push(outcome.failure)
  }
  throw mostTelling(run, operation, failures)
}

function settle(run: Run, strategy: Strategy, source: 'cache' | 'probe', data: unknown): unknown {
  run.strategy = strategy
  run.strategySource = source
  run.place = null
  return data
}

async function tryOne(
  run: Run,
  strategy: Strategy,
  { attempt, evidence }: CascadeParts,
): Promise<{ ok: true; data: unknown } | { ok: false; failure: Failure }> {
  const started = Date.now()
  const note = (failure: Failure | null) => {
    const reason = failure?.message ?? null
    const shown = failure === null ? null : showAnswer(run, failure, evidence)
    run.attempts.push({
      strategy,
      ok: failure === null,
      code: failure?.code ?? null,
      reason,
      status: failure === null ? null : (run.answers.at(-1)?.status ?? null),
      evidence: shown,
      duration_ms: Date.now() - started,
    })
    emit(run, { type: 'attempt', run_id: run.id, strategy, ok: failure === null, reason })
  }
  run.place = null
  run.answers.length = 0
  emit(run, { type: 'attempt', run_id: run.id, strategy, ok: null, reason: null })
  try {
    const data = await attempt(strategy)
    note(null)
    return { ok: true, data }
  } catch (error) {
    const failure = Failure.from(error)
    note(failure)
    return { ok: false, failure }
  }
}

/** Keeps the answer that a failure came from and gives its id; what never reached the site has none. */
function showAnswer(run: Run, failure: Failure, evidence: EvidencePort): string | null {
  if (failure.spec.class === 'policy' || run.abort.signal.aborted) return null
  const kept = keepAnswer(run.answers, evidence)
  if (kept !== null) run.evidence.push(kept)
  return kept?.id ?? null
}

const isFinal = (run: Run, failure: Failure): boolean =>
  run.abort.signal.aborted || FINAL.has(failure.code) || run.writesSent > 0

/** It says that this strategy could not ask, not that there is nothing. */
const isNoWayIn = ({ code, spec }: Failure): boolean =>
  code === 'empty_result' || code === 'no_browser' || spec.class === 'auth'

/** One strategy: its own failure. A login that every other needs, or nothing found by any that ran: that. Else all. */
function mostTelling(run: Run, operation: Operation, failures: readonly Failure[]): Failure {
  const [only] = failures
  if (run.attempts.length === 1 && only !== undefined) return only
  const empty = failures.find(failure => failure.code === 'empty_result')
  if (empty !== undefined && failures.every(failure => failure === empty || isNoWayIn(failure))) return empty
  const first = failures.find(failure => failure.code === 'auth_required')
  if (
    first !== undefined &&
    failures.every(failure => failure.spec.class === 'auth' || failure.code === 'no_browser')
  )
    return first
  const tried = run.attempts.map(({ strategy, code, reason }) => `${strategy}: ${code} (${reason})`)
  return new Failure('strategies_exhausted', { operation: operation.id, tried })
}
