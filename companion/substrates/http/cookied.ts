import { createHash } from 'node:crypto'
import { isSentTo } from '../../../shared/cookie-scope.ts'
import { Failure } from '../../../shared/failures.ts'
import type { Cookie } from '../../../shared/values.ts'
import type { BrowserSession, CallOptions } from '../../ports/browser.ts'
import type { HttpRequest, HttpResponse, SiteContext } from '../../ports/http.ts'
import type { HopCheck, HttpClient } from './client.ts'
import { answerOf, MAX_BYTES } from './plain.ts'

/**
 * Requests inside the person's browser, with the person's live cookies: from the worker, so that no tab opens. What
 * is streamed is asked for by `plain` with the same cookies: the link carries whole answers only.
 */
export const browserHttp = (site: SiteContext, plain: HttpClient, checkHop: HopCheck): HttpClient => ({
  async request(request, options) {
    await checkHop(request.url, request.method)
    const session = site.browser()
    try {
      return await inBrowser(session, request, options, site)
    } catch (error) {
      // The link mended itself while a request that changes nothing was out: ask again, once.
      if (!request.read || !(Failure.is(error, 'outcome_unknown') || Failure.is(error, 'link_lost')))
        throw error
      return inBrowser(session, request, options, site)
    }
  },
  async stream(request, options) {
    const cookies = await site.browser().call('cookies.get', { url: request.url }, options)
    return plain.stream(withCookies(request, cookies), options)
  },
  async socket(request, options) {
    const url = request.url.replace(/^ws/, 'http')
    const cookies = await site.browser().call('cookies.get', { url }, options)
    return plain.socket(withCookies(request, cookies), options)
  },
  async identity(url, options) {
    const session = site.browser()
    const cookies = await session.call('cookies.get', { url }, options)
    return `${session.profile.id} ${fingerprint(cookies)}`
  },
})

async function inBrowser(
  session: BrowserSession,
  request: HttpRequest,
  options: CallOptions,
  site: SiteContext,
): Promise<HttpResponse> {
  const { url, method, headers, body } = request
  const origin = site.base === '' ? new URL(url).origin : new URL(site.base).origin
  const content =
    typeof body === 'string' || body === null
      ? { body }
      : { body: Buffer.from(body).toString('base64'), body_base64: true }
  const params = { url, method, headers, ...content, via: 'worker', origin, max_bytes: MAX_BYTES } as const
  const response = await session.call('http.fetch', params, options).catch((error: unknown) => {
    // The browser does not tell whether a request that failed had left.
    if (request.read || !Failure.is(error, 'network_error')) throw error
    throw new Failure('outcome_unknown', { action: `${method} ${url}` }, { cause: error })
  })
  const answer = { status: response.status, url: response.url, headers: response.headers }
  return response.base64
    ? answerOf(answer, Buffer.from(response.body, 'base64'))
    : answerOf(answer, Buffer.from(response.body), response.body)
}

/** Requests from the companion with the cookies that a person exported on purpose. */
export const fileHttp = (http: HttpClient, cookies: readonly Cookie[]): HttpClient => ({
  request: (request, options) => http.request(withCookies(request, cookies), options),
  stream: (request, options) => http.stream(withCookies(request, cookies), options),
  socket: (request, options) => http.socket(withCookies(request, cookies), options),
  identity: async () => `file ${fingerprint(cookies)}`,
})

function withCookies<R extends { url: string; headers: Record<string, string> }>(
  request: R,
  cookies: readonly Cookie[],
): R {
  const cookie = cookieHeader(cookies, new URL(request.url))
  return cookie === '' ? request : { ...request, headers: { ...request.headers, cookie } }
}

/** Tells one login from another, and nothing else. */
const fingerprint = (cookies: readonly Cookie[]): string =>
  createHash('sha256')
    .update(
      JSON.stringify(cookies.map(({ name, domain, path, value }) => [name, domain, path, value]).toSorted()),
    )
    .digest('hex')

function cookieHeader(cookies: readonly Cookie[], url: URL): string {
  const now = Date.now() / 1000
  return cookies
    .filter(cookie => isSentTo(cookie, url) && (cookie.expires === null || cookie.expires > now))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
}
