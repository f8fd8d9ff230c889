import { Failure } from '../../shared/failures.ts'
import { isBodilessStatus } from '../../shared/http.ts'
import { parsedJson } from '../../shared/json.ts'
import type { HttpResponse } from '../ports/http.ts'
import { excerptOf, failOnWall, isHtmlText, siteOf, wallFailure, wallIn } from './walls.ts'

/** Tells a site's refusals, walls and faults apart from its data. */
export function failOnStatus(response: HttpResponse): void {
  const { status, url, headers } = response
  if (status < 400) return
  const site = siteOf(url)
  const wait = retryAfter(headers['retry-after'])
  if (status === 401) throw new Failure('auth_required', { site, reason: 'it answered 401' })
  if (status === 429) throw new Failure('rate_limited', { site, retry_after_s: wait })
  if (status === 403) throw refusalOf(response)
  if (status === 503 && wait !== null) throw new Failure('rate_limited', { site, retry_after_s: wait })
  if (status >= 500) throw challengeIn(response) ?? new Failure('upstream_unavailable', { status, url })
  throw new Failure('http_error', { status, url, excerpt: excerptOf(response.text) })
}

/** 403 has four meanings: prove that you are human, slow down, log in, or no. */
function refusalOf(response: HttpResponse): Failure {
  const { headers, url } = response
  const site = siteOf(url)
  if (headers['x-ratelimit-remaining'] === '0')
    return new Failure('rate_limited', { site, retry_after_s: untilReset(headers['x-ratelimit-reset']) })
  return (
    challengeIn(response) ??
    jsonWall(response, parsedJson(response.text, undefined)) ??
    new Failure('permission_denied', { site, reason: 'it answered 403' })
  )
}

/**
 * The JSON of an answer. Fails with the wall that stands in its place, not_data for a page or nothing, parse_failed
 * for anything else. `read` says that the request asked for something: a write may be answered with nothing.
 */
export function jsonOf(response: HttpResponse, read: boolean): unknown {
  const { text, status, url } = response
  if (text.trim() === '') {
    if (!read || isBodilessStatus(status)) return null
    throw new Failure('not_data', { url, what: 'an empty body', excerpt: '' })
  }
  // Some sites guard JSON against inclusion as a script.
  const value = parsedJson(text.replace(/^\)\]\}',?\s*|^for\s*\(;;\);|^while\s*\(1\);/, ''), undefined)
  if (value === undefined) throw notJson(response)
  const wall = jsonWall(response, value)
  if (wall !== null) throw wall
  return value
}

/** The text of an answer. Fails with the wall when it is nothing but one. */
export function textOf(response: HttpResponse): string {
  if (isHtml(response)) failOnWall({ url: response.url, html: response.text })
  return response.text
}

/** What stands in `text` where a feed or JSON was wanted: its wall, a page, or nothing known. */
export function notWanted(text: string, url: string): Failure | null {
  if (text.trim() === '') return new Failure('not_data', { url, what: 'an empty body', excerpt: '' })
  if (!isHtmlText(text)) return null
  const page = { url, html: text }
  const wall = wallIn(page, 'json')
  return wall === null
    ? new Failure('not_data', { url, what: 'an HTML page', excerpt: excerptOf(text) })
    : wallFailure(wall, page)
}

function notJson(response: HttpResponse): Failure {
  const { url, text } = response
  const page = isHtml(response) && !isHtmlText(text) ? `<html>${text}` : text
  const other = notWanted(page, url)
  if (other !== null) return other
  // Proxies say it in plain words.
  if (/^\W*(?:too many requests|rate limit(?:ed| exceeded))/i.test(text))
    return new Failure('rate_limited', {
      site: siteOf(url),
      retry_after_s: retryAfter(response.headers['retry-after']),
    })
  const shown = text.slice(0, 80).replaceAll(/\s+/g, ' ')
  return new Failure('parse_failed', { what: `The answer of ${url}`, reason: `not JSON but "${shown}"` })
}

/** Keys that tell how a call went; an object of nothing else is no data. */
const STATUS_KEYS =
  /^(?:errors?|message|msg|code|errcode|errno|errmsg|status|statuscode|success|ok|type|title|detail|details|reason|info|documentation_url|docref|servedby|request_?id|retry_?after)$/i
const RATE_CODE =
  /^(?:rate_?limit(?:ed|_?exceeded|_?reached)?|too_?many_?requests|throttl(?:ed|ing)|quota_?exceeded|slow_?down)$/i
const RATE_WORDS =
  /\b(?:rate limit(?: exceeded| reached)?|too many requests)\b|(?:请求|访问|操作)(?:过于|太)频繁/i
const CAPTCHA_CODE = /^(?:captcha(?:_required)?|challenge_required|need_?captcha)$/i

/** Rate limits and challenges that are told in JSON; what else an error object means, only its adapter knows. */
function jsonWall(response: HttpResponse, value: unknown): Failure | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const keys = Object.keys(value)
  if (keys.length === 0 || !keys.every(key => STATUS_KEYS.test(key))) return null
  const said = wordsOf(value, 0)
  const site = siteOf(response.url)
  if (said.some(word => CAPTCHA_CODE.test(word)))
    return new Failure('challenge_required', { site, kind: 'captcha' })
  const isSlow = said.some(word => RATE_CODE.test(word.replaceAll(/[\s-]/g, '_')) || RATE_WORDS.test(word))
  return isSlow
    ? new Failure('rate_limited', { site, retry_after_s: retryAfter(response.headers['retry-after']) })
    : null
}

function wordsOf(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 3) return []
  return Object.values(value).flatMap(inner => wordsOf(inner, depth + 1))
}

/** Faults that are served as a page may be the browser check in front of the site. */
function challengeIn(response: HttpResponse): Failure | null {
  if (!isHtml(response)) return null
  const page = { url: response.url, html: response.text }
  const wall = wallIn(page, 'json')
  return wall !== null && ['browser check', 'captcha', 'login', 'rate limit'].includes(wall.kind)
    ? wallFailure(wall, page)
    : null
}

const isHtml = (response: HttpResponse): boolean =>
  /html/i.test(response.headers['content-type'] ?? '') || isHtmlText(response.text)

/** Seconds, from either form of Retry-After; null when it says nothing usable. */
function retryAfter(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

function untilReset(header: string | undefined): number | null {
  const at = Number(header)
  return header === undefined || !Number.isFinite(at) ? null : Math.max(0, Math.ceil(at - Date.now() / 1000))
}
