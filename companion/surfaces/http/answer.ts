import type { Envelope } from '../../../shared/envelope.ts'
import { FAILURES, Failure, isFailureCode } from '../../../shared/failures.ts'
import { refusalOf } from '../../kernel/refusal.ts'
import { ALLOW } from './guard.ts'

/** Of every answer. Routes that need another policy, such as the docs page, set their own. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' }

export const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), { status, headers: JSON_HEADERS })

/** Status, headers and body of a failure that has no envelope, for both Response and raw sockets. */
export function refusal(failure: Failure): { status: number; headers: Record<string, string>; body: string } {
  const status = statusOf(failure)
  return {
    status,
    headers: {
      ...JSON_HEADERS,
      ...(status === 401 ? { 'WWW-Authenticate': 'Bearer realm="unicli"' } : {}),
      ...(status === 405 ? { Allow: ALLOW } : {}),
    },
    body: JSON.stringify(refusalOf(failure)),
  }
}

export function refuse(failure: Failure): Response {
  const { status, headers, body } = refusal(failure)
  return new Response(body, { status, headers })
}

const statusOf = (failure: Failure): number =>
  (Failure.is(failure, 'bad_request') ? failure.params.status : undefined) ?? failure.spec.http

/** The HTTP status of an envelope, by the same table as its exit code. */
export function envelopeStatus(envelope: Envelope): number {
  if (envelope.ok) return 200
  return isFailureCode(envelope.error.code) ? FAILURES[envelope.error.code].http : FAILURES.internal.http
}
