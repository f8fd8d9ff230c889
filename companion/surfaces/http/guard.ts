import { createHash, timingSafeEqual } from 'node:crypto'
import { Failure } from '../../../shared/failures.ts'
import { isDocsPath } from './docs-page.ts'

/** The largest request body, in bytes. */
export const MAX_BODY = 4 * 1024 * 1024

/** What the guard looks at: the head of a request as it came, before anybody normalised it. */
export interface RequestHead {
  method?: string | undefined
  /** The raw request target. */
  url?: string | undefined
  /** Names in lower case; every value that was sent. */
  headersDistinct: NodeJS.Dict<string[]>
}

export type Guard = (head: RequestHead) => Failure | null

/**
 * The trust line of the HTTP surface: decides about every request, on every route, before anything else sees it.
 * Web pages are kept out by Host (DNS rebinding), Origin and Sec-Fetch-Site; other users by the token.
 */
export function createGuard(access: { port: number; token: string }): Guard {
  const hosts = new Set(['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${access.port}`))
  const expected = digest(access.token)
  return head =>
    foreignHost(head, hosts) ??
    foreignOrigin(head) ??
    oddTarget(head) ??
    oddMethod(head) ??
    missingToken(head, expected) ??
    oddBody(head)
}

function foreignHost(head: RequestHead, hosts: ReadonlySet<string>): Failure | null {
  const host = only(head, 'host')
  return host !== null && hosts.has(host)
    ? null
    : new Failure('forbidden_caller', { what: 'This Host header' })
}

function foreignOrigin(head: RequestHead): Failure | null {
  if (head.headersDistinct.origin !== undefined && only(head, 'origin') !== `http://${only(head, 'host')}`)
    return new Failure('forbidden_caller', { what: 'A request with this Origin header' })
  // A page can send a GET without Origin (an image, a script), but its browser always says where it comes from.
  const site = head.headersDistinct['sec-fetch-site']
  if (site === undefined || site.every(value => value === 'none' || value === 'same-origin')) return null
  return new Failure('forbidden_caller', { what: "A request from another site's page" })
}

const MAX_TARGET = 4096
const PATH = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\/?$/
const QUERY = /^[\x21-\x7e]*$/

/** No path of ours needs an escape, so what is escaped, doubled or dotted is an attempt at something. */
function oddTarget(head: RequestHead): Failure | null {
  const target = head.url ?? ''
  if (target.length > MAX_TARGET) return badRequest(`its address is longer than ${MAX_TARGET} characters`)
  if (!target.startsWith('/') || !PATH.test(pathOf(target))) return badRequest('its path is not one of ours')
  return QUERY.test(target) ? null : badRequest('its query is not printable ASCII')
}

const METHODS = new Set(['GET', 'POST'])
export const ALLOW = [...METHODS].join(', ')

function oddMethod(head: RequestHead): Failure | null {
  const method = head.method ?? ''
  return METHODS.has(method) ? null : badRequest(`the method ${method} is not supported`, 405)
}

function missingToken(head: RequestHead, expected: Buffer): Failure | null {
  if (isDocsPath(pathOf(head.url ?? ''))) return null
  const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(only(head, 'authorization') ?? '') ?? []
  // Digests have one length, so that neither length nor content of the token shows in the time it takes.
  if (token !== undefined && timingSafeEqual(digest(token), expected)) return null
  return new Failure('unauthorized', { what: 'The bearer token' })
}

const JSON_TYPE = /^application\/json(?: *; *charset="?utf-8"?)?$/i

function oddBody(head: RequestHead): Failure | null {
  if (head.method !== 'POST') return null
  if (!JSON_TYPE.test(only(head, 'content-type') ?? ''))
    return badRequest('its Content-Type is not application/json', 415)
  if (head.headersDistinct['content-encoding'] !== undefined)
    return badRequest('a compressed body is not supported', 415)
  return Number(only(head, 'content-length') ?? 0) > MAX_BODY ? bodyTooLarge() : null
}

export const bodyTooLarge = (): Failure => badRequest(`its body is larger than ${MAX_BODY} bytes`, 413)

const badRequest = (reason: string, status: 400 | 405 | 413 | 415 = 400): Failure =>
  new Failure('bad_request', { reason, status })

/** The value of a header that must not be sent twice: two hosts or two tokens are no host and no token. */
function only(head: RequestHead, name: string): string | null {
  const values = head.headersDistinct[name] ?? []
  return values.length === 1 ? (values[0] ?? null) : null
}

const pathOf = (target: string): string => target.split('?', 1)[0] ?? ''
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
