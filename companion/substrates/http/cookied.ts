import { Failure } from '../../../shared/failures.ts'
import type { Cookie } from '../../../shared/values.ts'
import type { BrowserSession, CallOptions } from '../../ports/browser.ts'
import type { HttpPort, HttpRequest, HttpResponse, SiteContext } from '../../ports/http.ts'
import { MAX_BYTES } from './plain.ts'

/** Requests inside the person's browser, with the person's live cookies: from the worker, so that no tab opens. */
export const browserHttp = (site: SiteContext): HttpPort => ({
  async request(request, options) {
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
})

async function inBrowser(
  session: BrowserSession,
  { url, method, headers, body }: HttpRequest,
  options: CallOptions,
  site: SiteContext,
): Promise<HttpResponse> {
  const origin = site.base === '' ? new URL(url).origin : new URL(site.base).origin
  const params = { url, method, headers, body, via: 'worker', origin, max_bytes: MAX_BYTES } as const
  const response = await session.call('http.fetch', params, options)
  const text = response.base64 ? Buffer.from(response.body, 'base64').toString('utf8') : response.body
  return { status: response.status, url: response.url, headers: response.headers, text }
}

/** Requests from the companion with the cookies that a person exported on purpose. */
export const fileHttp = (http: HttpPort, cookies: readonly Cookie[]): HttpPort => ({
  request(request, options) {
    const cookie = cookieHeader(cookies, new URL(request.url))
    return http.request(
      { ...request, headers: { ...request.headers, ...(cookie === '' ? {} : { cookie }) } },
      options,
    )
  },
})

function cookieHeader(cookies: readonly Cookie[], url: URL): string {
  const now = Date.now() / 1000
  return cookies
    .filter(cookie => {
      const domain = cookie.domain.replace(/^\./, '')
      const host =
        url.hostname === domain || (cookie.domain.startsWith('.') && url.hostname.endsWith(`.${domain}`))
      const path = url.pathname === cookie.path || url.pathname.startsWith(cookie.path.replace(/\/?$/, '/'))
      const live = cookie.expires === null || cookie.expires > now
      return host && path && live && (!cookie.secure || url.protocol === 'https:')
    })
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
}
