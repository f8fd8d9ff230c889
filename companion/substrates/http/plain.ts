import { Failure } from '../../../shared/failures.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { HttpPort, HttpRequest, HttpResponse, OriginCheck } from '../../ports/http.ts'
import { decodeBody } from './charset.ts'

export const MAX_BYTES = 16 * 1024 * 1024
const MAX_REDIRECTS = 10
const SECRET_HEADERS = ['authorization', 'cookie', 'x-csrf-token']

/** Requests from the companion itself, with nothing of the person's. Every hop of a redirect is checked. */
export const plainHttp = (checkHop: OriginCheck, agent: string): HttpPort => ({
  async request(request, options) {
    let current: HttpRequest = { ...request, headers: { 'user-agent': agent, ...request.headers } }
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      checkHop(current.url)
      const response = await send(current, options)
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null)
        return read(response, current.url)
      await response.body?.cancel()
      current = redirected(current, new URL(location, current.url).href, response.status)
    }
    throw new Failure('network_error', { url: request.url, reason: `more than ${MAX_REDIRECTS} redirects` })
  },
})

async function send(request: HttpRequest, { signal }: CallOptions): Promise<Response> {
  const { url, method, headers, body } = request
  try {
    return await fetch(url, { method, headers, body, signal, redirect: 'manual' })
  } catch (error) {
    throw networkFailure(url, error, signal)
  }
}

/** As browsers do: 303, and 301 or 302 of a POST, become GET; secrets never follow to another origin. */
function redirected(request: HttpRequest, url: string, status: number): HttpRequest {
  const toGet = status === 303 || ((status === 301 || status === 302) && request.method === 'POST')
  const foreign = new URL(url).origin !== new URL(request.url).origin
  const dropped = [...(toGet ? ['content-type'] : []), ...(foreign ? SECRET_HEADERS : [])]
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !dropped.includes(name)),
  )
  return { ...request, url, headers, ...(toGet ? { method: 'GET', body: null } : {}) }
}

async function read(response: Response, url: string): Promise<HttpResponse> {
  const headers = Object.fromEntries(response.headers)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      if (size > MAX_BYTES) throw new Failure('response_too_large', { url, limit: MAX_BYTES })
      chunks.push(chunk)
    }
  } catch (error) {
    if (Failure.is(error)) throw error
    throw networkFailure(url, error, null)
  }
  return {
    status: response.status,
    url,
    headers,
    text: decodeBody(Buffer.concat(chunks), headers['content-type']),
  }
}

/** The errno behind undici's "fetch failed" is what tells a person something. */
function networkFailure(url: string, error: unknown, signal: AbortSignal | null): Failure {
  if (signal?.aborted === true && Failure.is(signal.reason)) return signal.reason
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause))
  return new Failure('network_error', { url, reason }, { cause: error })
}
