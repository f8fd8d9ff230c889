import type { StepSeen } from '../kernel/operation.ts'
import type { HttpResponse } from '../ports/http.ts'
import { type Pair, placeOf } from './pairs.ts'
import type { Drift, Proposal } from './proposals.ts'

/** Keys under which a refusal names the new place. */
const HINT_KEYS =
  /^(?:location|url|href|moved(?:_?to)?|new_?(?:url|location|endpoint)|successor|replacement|canonical)$/i

/** An address that is gone, with the new one when the answer names it. */
export function endpointDrift(pair: Pair, { planned, failure }: StepSeen): Drift | null {
  if (failure?.code !== 'http_error') return null
  const { status, url } = failure.params as { status: number; url: string }
  const answer = pair.answers.live.find(({ response }) => response.url === url && response.status === status)
  const hint = answer === undefined ? null : hintIn(answer.response, url)
  const written = urlOf(planned.params)
  return {
    ...placeOf(pair),
    kind: 'endpoint changed',
    what: `${url} answers ${status}`,
    proposals: hint === null || written === null ? [] : proposalsFor(pair, { ...written, gone: url, hint }),
  }
}

const urlOf = (params: unknown): { text: string; key: string | null } | null => {
  if (typeof params === 'string') return { text: params, key: null }
  const url = typeof params === 'object' && params !== null && 'url' in params ? params.url : null
  return typeof url === 'string' ? { text: url, key: 'url' } : null
}

/** The address that an answer names as the new one, at the same origin. */
function hintIn({ headers, text }: HttpResponse, url: string): string | null {
  const links = (headers.link ?? '').matchAll(
    /<([^>]+)>\s*;[^,]*\brel="?(?:successor-version|latest-version|canonical)"?/gi,
  )
  const named = [
    ...[...links].map(([, target = '']) => target),
    headers['content-location'] ?? '',
    ...bodyHints(text),
  ]
  const whole = named
    .filter(target => target !== '' && URL.canParse(target, url))
    .map(target => new URL(target, url))
  const origin = new URL(url).origin
  return whole.find(target => target.origin === origin && target.href !== url)?.href ?? null
}

function bodyHints(text: string): string[] {
  if (!text.trimStart().startsWith('{')) return []
  try {
    const value = JSON.parse(text) as Record<string, unknown>
    return Object.entries(value).flatMap(([key, inner]) =>
      HINT_KEYS.test(key) && typeof inner === 'string' ? [inner] : [],
    )
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/**
 * The template with its fixed part replaced. Gone and hint have to end alike where the template has its values:
 * an address whose values are elsewhere cannot be written as a template with certainty.
 */
function proposalsFor(
  pair: Pair,
  about: { text: string; key: string | null; gone: string; hint: string },
): Proposal[] {
  const { text, key, gone, hint } = about
  const hintUrl = new URL(hint)
  const host = /^https?:\/\/[^/]*/.exec(text)?.[0] ?? null
  const written = host === null ? text : text.slice(host.length)
  const fixed = written.split('${{')[0] ?? ''
  const tail = written.slice(fixed.length)
  const old = decodeURI(new URL(gone).pathname)
  const at = old.lastIndexOf(fixed)
  if (at === -1) return []
  const filled = old.slice(at + fixed.length)
  const path = decodeURI(hintUrl.pathname)
  if (tail !== '' && (filled === '' || !path.endsWith(filled))) return []
  const head = tail === '' ? path : path.slice(0, path.length - filled.length)
  const url = `${host ?? hintUrl.origin}${head}${tail}`
  return [
    {
      edits: [{ kind: 'set', path: key === null ? pair.path : [...pair.path, key], value: url }],
      score: 1,
      what: `the answer names ${url} as its new place`,
    },
  ]
}
