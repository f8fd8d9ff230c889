import type { Envelope, ErrorInfo, Meta } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { isBrief, type RunAnswer } from './answer.ts'
import type { Operation } from './operation.ts'
import type { Run } from './run-state.ts'
import { withoutMarkedSecrets } from './secrecy.ts'

/** The envelope of a run that gave an answer. */
export function successOf(
  run: Run,
  { data, truncated, notes, leftOut }: RunAnswer,
  next: Record<string, unknown> | null,
): Envelope {
  return {
    ok: true,
    version: 'v2',
    data: data ?? null,
    meta: {
      ...metaOf(run),
      // Who reads a brief answer that worked asks neither where it came from nor how that was found.
      ...(isBrief(run.invocation.options) ? { adapter_path: null, strategy_source: null } : {}),
      count: Array.isArray(data) ? data.length : null,
      ...(truncated === null ? {} : { truncated }),
      ...(notes.length + run.notes.length === 0 ? {} : { notes: [...run.notes, ...notes] }),
      ...(leftOut.length === 0 ? {} : { left_out: leftOut }),
      ...(next === null ? {} : { next }),
    },
    evidence: run.evidence,
    error: null,
    exit_code: 0,
  }
}

/** The envelope of a run that failed. A write that had left when the answer was lost is `outcome_unknown`. */
export function failureOf(run: Run, error: unknown): Envelope {
  const failure = honest(run, Failure.from(error))
  return {
    ok: false,
    version: 'v2',
    data: null,
    meta: { ...metaOf(run), ...(mayHaveWritten(run) ? { wrote: true } : {}) },
    evidence: run.evidence,
    error: withoutMarkedSecrets(errorOf(run, failure)),
    exit_code: failure.spec.exit,
  }
}

const ANSWER_LOST = new Set(['deadline_exceeded', 'cancelled', 'link_lost', 'network_error'])

const mayHaveWritten = ({ writesSent, writesRefused, operation }: Run): boolean =>
  writesSent > writesRefused && operation?.effect !== 'read'

function honest(run: Run, failure: Failure): Failure {
  if (!mayHaveWritten(run) || !ANSWER_LOST.has(failure.code)) return failure
  return new Failure('outcome_unknown', { action: run.invocation.operation }, { cause: failure })
}

/** What a failure tells by itself, as of a call that never became a run. */
export const errorInfoOf = (failure: Failure): ErrorInfo => ({
  code: failure.code,
  message: failure.message,
  class: failure.spec.class,
  adapter_path: null,
  step: null,
  step_index: null,
  adapter_line: null,
  action: null,
  suggestion: failure.hint,
  retryable: failure.spec.retry,
  alternatives: [],
  details: { ...failure.params },
})

function errorOf(run: Run, failure: Failure): ErrorInfo {
  const operation = run.operation
  return {
    ...errorInfoOf(failure),
    adapter_path: operation?.adapterPath ?? null,
    retryable: failure.spec.retry && !mayHaveWritten(run),
    step: run.place?.step ?? null,
    step_index: run.place?.index ?? null,
    adapter_line: run.place?.line ?? null,
    action: actionOf(run),
    alternatives: alternativesOf(operation, failure),
    details: detailsOf(failure),
  }
}

const placeText = (place: NonNullable<Run['place']>, operation: Operation | null): string =>
  `step ${place.path} (${place.step})${place.line === null ? '' : ` at ${operation?.adapterPath ?? ''}:${place.line}`}`

/** What it was doing: a step, or all of it when every step had run to its end. */
const actionOf = ({ place, operation }: Run): string | null =>
  place === null ? (operation === null ? null : `the answer of ${operation.id}`) : placeText(place, operation)

/** What an adapter says, and for one that a site has left behind, its repair. */
function alternativesOf(operation: Operation | null, { spec }: Failure): string[] {
  if (operation === null) return []
  const { adapterPath, site, command, effect, alternatives } = operation
  const isRepairable = spec.class === 'drift' && adapterPath !== null && effect === 'read'
  return [
    ...(isRepairable ? [`unicli repair ${site} ${command}`] : []),
    ...alternatives.map(id => `unicli ${id.replace('.', ' ')}`),
  ]
}

function detailsOf(failure: Failure): Record<string, unknown> {
  const cause = failure.cause
  return Failure.is(cause) ? { ...failure.params, cause: cause.code } : { ...failure.params }
}

function metaOf(run: Run): Meta {
  const { operation, invocation } = run
  const [site = '', command = ''] = invocation.operation.split('.', 2)
  return {
    site: operation?.site ?? site,
    command: operation?.command ?? command,
    strategy: run.strategy,
    strategy_source: run.strategySource,
    ...(run.attempts.length > 0 ? { attempts: run.attempts } : {}),
    ...(run.strategyCache === null ? {} : { strategy_cache: run.strategyCache }),
    duration_ms: Date.now() - run.startedAt,
    count: null,
    adapter_path: operation?.adapterPath ?? null,
    run_id: run.id,
    effect: operation?.effect ?? 'pure',
    verdict: run.verdict,
    profile: run.browser?.profile.name ?? null,
    session: run.browser?.session ?? null,
    ...(invocation.options.dry_run === true ? { dry_run: true } : {}),
    ...columnsOf(run),
  }
}

/** The columns of what is asked for: an operation's own do not fit a part of its answer. */
function columnsOf({ operation, invocation }: Run): Pick<Meta, 'columns'> {
  const { select, fields, pluck } = invocation.options
  if (pluck !== undefined) return {}
  if (fields !== undefined && fields.length > 0) return { columns: [...fields] }
  const own = select === undefined ? (operation?.columns ?? []) : []
  return own.length === 0 ? {} : { columns: [...own] }
}
