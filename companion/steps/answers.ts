import { Failure } from '../../shared/failures.ts'
import type { HttpResponse } from '../ports/http.ts'

/** Tells a site's refusals, walls and faults apart from its data. */
export function failOnStatus(response: HttpResponse): void {
  const { status, url } = response
  if (status < 400) return
  const site = new URL(url).host
  if (status === 401) throw new Failure('auth_required', { site, reason: 'it answered 401' })
  if (status === 403)
    throw challengeIn(response) ?? new Failure('permission_denied', { site, reason: 'it answered 403' })
  if (status === 429)
    throw new Failure('rate_limited', { site, retry_after_s: retryAfter(response.headers['retry-after']) })
  if (status >= 500) throw challengeIn(response) ?? new Failure('upstream_unavailable', { status, url })
  throw new Failure('http_error', { status, url, excerpt: excerptOf(response.text) })
}

/** A login page served in place of data, or null. */
export function looksLikeLogin(response: HttpResponse): Failure | null {
  if (!isHtml(response)) return null
  const site = new URL(response.url).host
  if (/<input[^>]+type=["']?password/i.test(response.text))
    return new Failure('auth_required', { site, reason: 'it showed a login form' })
  return challengeIn(response)
}

const CHALLENGES: readonly [RegExp, string][] = [
  [/cf-challenge|challenge-platform|_cf_chl/i, 'browser check'],
  [/g-recaptcha|h-captcha|hcaptcha\.com|captcha/i, 'captcha'],
]

function challengeIn(response: HttpResponse): Failure | null {
  if (!isHtml(response)) return null
  const found = CHALLENGES.find(([pattern]) => pattern.test(response.text))
  return found === undefined
    ? null
    : new Failure('challenge_required', { site: new URL(response.url).host, kind: found[1] })
}

const isHtml = (response: HttpResponse): boolean =>
  /html/i.test(response.headers['content-type'] ?? '') || /^\s*<(!doctype|html)/i.test(response.text)

function retryAfter(header: string | undefined): number | null {
  if (header === undefined) return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return seconds
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

const excerptOf = (text: string): string =>
  text
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 120)
