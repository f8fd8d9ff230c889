import { load } from 'cheerio'
import { Failure } from '../../../shared/failures.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { CsrfHint, HttpPort, HttpRequest, HttpResponse, SiteContext } from '../../ports/http.ts'
import { storageBearer } from './bearer.ts'
import type { HttpClient } from './client.ts'

/** A token and the way it is sent. */
export interface Token {
  value: string
  place: { header: string } | { field: string }
  found: string
}

/** Cookie names under which frameworks keep a token that scripts must echo. */
const COOKIE_NAMES =
  /^(x-)?(csrf|xsrf)([-_]?token)?$|^_csrf$|^csrftoken$|^xsrf-token$|^ct0$|^_xsrf$|^bili_jct$/i
const META_NAMES = ['csrf-token', '_csrf', 'csrf_token', 'csrf', 'xsrf-token']
const INPUT_NAMES = ['csrfmiddlewaretoken', 'authenticity_token', '_token', 'csrf_token', '_csrf', 'csrf']
const DEFAULT_HEADER = 'x-csrf-token'

/** Bearers of a site stay valid for long and cost a page to read; they live in memory only, never on disk. */
export class BearerCache {
  readonly #tokens = new Map<string, { token: Token; until: number }>()
  readonly #ttlMs = 10 * 60_000

  get(key: string): Token | null {
    const entry = this.#tokens.get(key)
    return entry !== undefined && entry.until > Date.now() ? entry.token : null
  }
  put(key: string, token: Token): void {
    this.#tokens.set(key, { token, until: Date.now() + this.#ttlMs })
  }
  drop(key: string): void {
    this.#tokens.delete(key)
  }
}

/**
 * Requests with the token that the site wants beside its cookies. Each place is asked in turn: the adapter's
 * endpoint, a cookie, a meta tag or hidden field, a bearer in the page's storage. Fails with csrf_not_found.
 */
export const tokenHttp = (http: HttpClient, site: SiteContext, bearers: BearerCache): HttpClient => ({
  request: (request, options) => tokened(request, options, site, { http, bearers }, http.request),
  stream: (request, options) => tokened(request, options, site, { http, bearers }, http.stream),
  socket: http.socket,
  identity: http.identity,
})

async function tokened<A extends { status: number }>(
  request: HttpRequest,
  options: CallOptions,
  site: SiteContext,
  { http, bearers }: { http: HttpClient; bearers: BearerCache },
  ask: (request: HttpRequest, options: CallOptions) => Promise<A>,
): Promise<A> {
  const key = `${site.browserLinked() ? site.browser().profile.id : 'file'} ${site.base}`
  const cached = bearers.get(key)
  if (cached !== null) {
    const response = await ask(withToken(request, cached), options)
    if (response.status !== 401 && response.status !== 403) return response
    bearers.drop(key)
    // A refused read may be asked again with a fresh token; a refused write is the caller's to repeat.
    if (!request.read) return response
  }
  const token = await findToken(http, site, options)
  if ('header' in token.place && token.found.endsWith('storage')) bearers.put(key, token)
  return ask(withToken(request, token), options)
}

async function findToken(http: HttpPort, site: SiteContext, options: CallOptions): Promise<Token> {
  const hint = site.csrf
  const tried: string[] = []
  const places: [name: string, find: () => Promise<Token | null>][] = [
    ['token endpoint', () => fromEndpoint(http, site, options)],
    ['cookies', () => fromCookies(site, options)],
    ['page', () => fromPage(http, site, options)],
    ['storage', () => fromStorage(site, options)],
  ]
  for (const [name, find] of places.filter(([name]) => asked(hint, name))) {
    tried.push(name)
    const token = await find()
    if (token !== null) return { ...token, place: sentBy(hint, token) }
  }
  throw new Failure('csrf_not_found', { site: site.site, tried })
}

/** An adapter that names a place is believed; without one every place that needs no hint is searched. */
function asked(hint: CsrfHint, place: string): boolean {
  const named: Record<string, boolean> = {
    'token endpoint': hint.endpoint !== undefined,
    cookies: hint.cookie !== undefined,
    page: hint.page !== undefined,
    storage: hint.storage !== undefined,
  }
  if (Object.values(named).some(Boolean)) return named[place] === true
  return place !== 'token endpoint'
}

function sentBy(hint: CsrfHint, token: Token): Token['place'] {
  if (hint.field !== undefined) return { field: hint.field }
  if (hint.header !== undefined) return { header: hint.header.toLowerCase() }
  return token.place
}

async function fromEndpoint(http: HttpPort, site: SiteContext, options: CallOptions): Promise<Token | null> {
  const { endpoint = '', select = '' } = site.csrf
  const response = await get(http, under(site.base, endpoint), options)
  let value: unknown = parse(response)
  for (const key of select.split('.').filter(part => part !== ''))
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
  return typeof value === 'string' && value !== ''
    ? { value, place: { header: DEFAULT_HEADER }, found: 'endpoint' }
    : null
}

async function fromCookies(site: SiteContext, options: CallOptions): Promise<Token | null> {
  if (!site.browserLinked()) return null
  const cookies = await site.browser().call('cookies.get', { url: site.base }, options)
  const { cookie } = site.csrf
  const found = cookies.find(({ name }) => (cookie === undefined ? COOKIE_NAMES.test(name) : name === cookie))
  if (found === undefined) return null
  const header = /^x-?xsrf|^xsrf/i.test(found.name) ? 'x-xsrf-token' : DEFAULT_HEADER
  return { value: decoded(found.value), place: { header }, found: `cookie ${found.name}` }
}

/** Frameworks percent-encode what they put into a cookie and expect it back in the clear. */
const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch (error) {
    if (error instanceof URIError) return value
    throw error
  }
}

async function fromPage(http: HttpPort, site: SiteContext, options: CallOptions): Promise<Token | null> {
  const response = await get(http, under(site.base, site.csrf.page ?? ''), options)
  if (response.status >= 400) return null
  const $ = load(response.text)
  for (const name of META_NAMES) {
    const value = $(`meta[name="${name}" i]`).attr('content')
    if (value !== undefined && value !== '')
      return { value, place: { header: metaHeader($) }, found: `meta ${name}` }
  }
  for (const name of INPUT_NAMES) {
    const value = $(`input[name="${name}"]`).attr('value')
    if (value !== undefined && value !== '') return { value, place: { field: name }, found: `field ${name}` }
  }
  return null
}

/** Spring names the header in a second meta tag. */
const metaHeader = ($: ReturnType<typeof load>): string =>
  ($('meta[name="_csrf_header"]').attr('content') ?? DEFAULT_HEADER).toLowerCase()

async function fromStorage(site: SiteContext, options: CallOptions): Promise<Token | null> {
  if (!site.browserLinked()) return null
  const session = site.browser()
  await session.call('page.navigate', { url: `${site.base}/`, until: 'domcontentloaded' }, options)
  const stored = await session.call('page.storage', {}, options)
  const value = storageBearer(stored, site.csrf)
  return value === null
    ? null
    : { value: `Bearer ${value}`, place: { header: 'authorization' }, found: 'storage' }
}

const get = (http: HttpPort, url: string, options: CallOptions): Promise<HttpResponse> =>
  http.request({ url, method: 'GET', headers: { accept: '*/*' }, body: null, read: true }, options)

const under = (base: string, path: string): string => `${base}/${path.replace(/^\/+/, '')}`

function parse(response: HttpResponse): unknown {
  try {
    return JSON.parse(response.text) as unknown
  } catch (cause) {
    throw new Failure(
      'parse_failed',
      { what: `The token endpoint ${response.url}`, reason: 'not JSON' },
      { cause },
    )
  }
}

function withToken(request: HttpRequest, token: Token): HttpRequest {
  if ('header' in token.place)
    return { ...request, headers: { ...request.headers, [token.place.header]: token.value } }
  const { field } = token.place
  if (request.body === null) {
    const url = new URL(request.url)
    url.searchParams.set(field, token.value)
    return { ...request, url: url.href }
  }
  // A token has no field in a body of bytes; such a request carries it in a header.
  if (typeof request.body !== 'string') return request
  if (/json/i.test(request.headers['content-type'] ?? '')) {
    const body = JSON.parse(request.body) as Record<string, unknown>
    return { ...request, body: JSON.stringify({ ...body, [field]: token.value }) }
  }
  const form = new URLSearchParams(request.body)
  form.set(field, token.value)
  return { ...request, body: form.toString() }
}
