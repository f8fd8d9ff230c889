import { STRATEGIES, type Strategy } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { StrategyCachePort } from '../ports/state.ts'
import type { Operation } from './operation.ts'
import { emit, FINAL, type Run } from './run-state.ts'

/** How one strategy is run; gives its data or throws its failure. */
export type Attempter = (strategy: Strategy) => Promise<unknown>

/**
 * Runs an operation by its declared or asked strategy, or, when it is `auto`, by the cached one, else by each in
 * order until one gives parseable data. What answered is cached by operation and profile.
 */
export async function cascade(
  run: Run,
  operation: Operation,
  cache: StrategyCachePort,
  attempt: Attempter,
): Promise<unknown> {
  const asked = run.invocation.options.strategy ?? operation.strategy
  if (asked !== 'auto' && asked !== null) {
    run.strategy = asked
    run.strategySource = run.invocation.options.strategy === undefined ? 'declared' : 'asked'
    return attempt(asked)
  }
  const key = { operation: operation.id, profile: run.invocation.options.profile ?? '' }
  const cached = cache.get(key)
  if (cached !== null && operation.strategies.includes(cached)) {
    const outcome = await tryOne(run, cached, attempt)
    if (outcome.ok) return settle(run, cached, 'cache', outcome.data)
    // It has answered before, so nothing found is its answer.
    if (isFinal(run, outcome.failure) || outcome.failure.code === 'empty_result') throw outcome.failure
    cache.drop(key)
  }
  return probe(run, operation, attempt, cached, strategy => cache.put(key, strategy))
}

async function probe(
  run: Run,
  operation: Operation,
  attempt: Attempter,
  skip: Strategy | null,
  found: (strategy: Strategy) => void,
): Promise<unknown> {
  const order = STRATEGIES.filter(strategy => operation.strategies.includes(strategy) && strategy !== skip)
  const failures: Failure[] = []
  for (const strategy of order) {
    const outcome = await tryOne(run, strategy, attempt)
    if (outcome.ok) {
      found(strategy)
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
  attempt: Attempter,
): Promise<{ ok: true; data: unknown } | { ok: false; failure: Failure }> {
  const started = Date.now()
  const note = (failure: Failure | null) => {
    const reason = failure?.message ?? null
    run.attempts.push({
      strategy,
      ok: failure === null,
      code: failure?.code ?? null,
      reason,
      duration_ms: Date.now() - started,
    })
    emit(run, { type: 'attempt', run_id: run.id, strategy, ok: failure === null, reason })
  }
  run.place = null
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
