import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import type { Drift } from './proposals.ts'

/** What is the matter with a run. `drift` alone is for a repair; everything else is for a person, or for waiting. */
export interface Diagnosis {
  kind: 'healthy' | 'login' | 'challenge' | 'rate limit' | 'outage' | 'refused' | 'caller' | 'drift'
  /** Of a drift: how the site changed. Of a challenge: what it asks for. */
  detail: string | null
  code: string | null
  message: string
  step: string | null
  line: number | null
}

const KINDS: Readonly<Record<string, Diagnosis['kind']>> = {
  auth_required: 'login',
  csrf_not_found: 'login',
  challenge_required: 'challenge',
  rate_limited: 'rate limit',
  permission_denied: 'refused',
  upstream_unavailable: 'outage',
  network_error: 'outage',
  deadline_exceeded: 'outage',
}

/** Failures of what worked on known good answers: an expression that meets other data, nothing where something was. */
const DRIFTS = new Set(['empty_result', 'not_found', 'expression_error', 'adapter_invalid'])

/** Of a run by what it ended with. Nothing found where there was something is drift. */
export function diagnosisOf({ error }: Envelope): Diagnosis {
  if (error === null) return { ...HEALTHY }
  const { code, message, step } = error
  const isDrift = error.class === 'drift' || DRIFTS.has(code)
  const kind = KINDS[code] ?? (isDrift ? 'drift' : error.class === 'environment' ? 'outage' : 'caller')
  return { kind, detail: detailOf(error.code, error.details), code, message, step, line: null }
}

const HEALTHY: Diagnosis = {
  kind: 'healthy',
  detail: null,
  code: null,
  message: 'It answers as it did.',
  step: null,
  line: null,
}

export const withDrift = (diagnosis: Diagnosis, drift: Drift): Diagnosis => ({
  ...diagnosis,
  kind: 'drift',
  detail: diagnosis.detail ?? drift.kind,
  message: diagnosis.code === null ? `${drift.what}.` : diagnosis.message,
  step: drift.step,
  line: drift.line,
})

export const withFaults = (diagnosis: Diagnosis, faults: readonly string[]): Diagnosis => ({
  ...diagnosis,
  kind: 'drift',
  detail: diagnosis.detail ?? 'rows changed',
  message: diagnosis.code === null ? `${faults.join('; ')}.` : diagnosis.message,
})

function detailOf(code: string, details: Record<string, unknown>): string | null {
  if (code === 'challenge_required') return String(details.kind)
  if (code === 'not_data') return String(details.what)
  if (code === 'http_error') return 'endpoint gone'
  return code === 'empty_result' || code === 'not_found' ? 'empty' : null
}

/** The failure that a run ended with, as a failure again. */
export const failureOf = ({ error }: Envelope): Failure =>
  error === null
    ? new Failure('internal', { reason: 'a run without a failure' })
    : Failure.fromJSON({ code: error.code, params: error.details })
