import { createHash } from 'node:crypto'
import { Failure } from '../../../shared/failures.ts'
import type { TokenPort } from '../../ports/auth.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { HttpRequest, SiteContext } from '../../ports/http.ts'
import type { HttpClient } from './client.ts'

type Bearer = string | null

/**
 * Requests with the bearer of a service that the person signed in to, where the service says that it may go. One that
 * is refused is renewed: a read is then asked again, a write is the caller's to repeat.
 */
export function serviceHttp(
  http: HttpClient,
  service: string,
  { base }: Pick<SiteContext, 'base'>,
  tokens: TokenPort,
): HttpClient {
  const bearerFor = async (url: string, options: CallOptions, refused?: string): Promise<Bearer> => {
    const asked = url.replace(/^ws/, 'http')
    try {
      return await tokens.token({ service, url: asked, ...(refused !== undefined && { refused }) }, options)
    } catch (error) {
      // What else belongs to the site, such as its files, is asked without; the site itself is not.
      const isElsewhere = base !== '' && new URL(asked).origin !== new URL(base).origin
      if (isElsewhere && Failure.is(error, 'origin_not_allowed')) return null
      throw error
    }
  }
  const signedBy = async <A extends { status: number }>(
    request: HttpRequest,
    options: CallOptions,
    ask: (request: HttpRequest, options: CallOptions) => Promise<A>,
  ): Promise<A> => {
    const bearer = await bearerFor(request.url, options)
    const answer = await ask(withBearer(request, bearer), options)
    if (answer.status !== 401 || bearer === null) return answer
    const renewed = await bearerFor(request.url, options, bearer)
    return request.read ? ask(withBearer(request, renewed), options) : answer
  }
  return {
    request: (request, options) => signedBy(request, options, http.request),
    stream: (request, options) => signedBy(request, options, http.stream),
    socket: async (request, options) =>
      http.socket(withBearer(request, await bearerFor(request.url, options)), options),
    identity: async (url, options) => {
      const bearer = await bearerFor(url, options)
      return `${service} ${createHash('sha256')
        .update(bearer ?? '')
        .digest('hex')}`
    },
  }
}

const withBearer = <R extends { headers: Record<string, string> }>(request: R, bearer: Bearer): R =>
  bearer === null
    ? request
    : { ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } }
