import { Failure } from '../../../shared/failures.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { HttpRequest, HttpResponse, HttpStream } from '../../ports/http.ts'
import type { Addresses } from './addresses.ts'
import { decodeBody } from './charset.ts'
import type { HopCheck, HttpClient } from './client.ts'
import { openSocket } from './websocket.ts'

export const MAX_BYTES = 16 * 1024 * 1024
const MAX_REDIRECTS = 10
const SECRET_HEADERS = [
  ...['authorization', 'proxy-authorization', 'cookie'],
  ...['x-csrf-token', 'x-xsrf-token', 'x-api-key', 'x-auth-token'],
]

/** Requests from the companion itself, with nothing of the person's. Every hop of a redirect is checked. */
export const plainHttp = (checkHop: HopCheck, addresses: Addresses, agent: string): HttpClient => {
  const ask = (request: HttpRequest, options: CallOptions): Promise<Hop> =>
    follow({ ...request, headers: { 'user-agent': agent, ...request.headers } }, checkHop, addresses, options)
  return {
    request: async (request, options) => whole(await ask(request, options), request),
    stream: async (request, options) => streamed(await ask(request, options), request),
    identity: async () => 'public',
    socket: async (request, options) => {
      await checkHop(request.url, 'GET')
      const headers = { 'user-agent': agent, ...request.headers }
      return openSocket({ ...request, headers }, addresses.lookup(request.url), options)
    },
  }
}

/** The last hop's answer and where it came from. */
interface Hop {
  response: Response
  url: string
}

async function follow(
  request: HttpRequest,
  checkHop: HopCheck,
  addresses: Addresses,
  options: CallOptions,
): Promise<Hop> {
  let current = request
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    await checkHop(current.url, current.method)
    const response = await send(current, addresses, options).catch((error: unknown) => {
      throw hop === 0 ? error : afterAnswer(request, error)
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null)
      return { response, url: current.url }
    await response.body?.cancel()
    current = redirected(current, new URL(location, current.url).href, response.status)
  }
  const reason = `more than ${MAX_REDIRECTS} redirects`
  throw afterAnswer(request, new Failure('network_error', { url: request.url, reason }))
}

/** A redirect is an answer: the write that it answered has left, also when the next hop cannot be reached. */
const afterAnswer = (request: HttpRequest, error: unknown): unknown =>
  request.read || !Failure.is(error, 'network_error') ? error : outcomeUnknown(request, error)

async function send(request: HttpRequest, addresses: Addresses, { signal }: CallOptions): Promise<Response> {
  const { url, method, headers } = request
  const body = request.body instanceof Uint8Array ? new Uint8Array(request.body) : request.body
  try {
    return await addresses.fetch(url, { method, headers, body, signal, redirect: 'manual' })
  } catch (error) {
    throw lost(request, networkFailure(url, error, signal))
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

async function whole(hop: Hop, request: HttpRequest): Promise<HttpResponse> {
  const { body, ...answer } = streamed(hop, request)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Failure('response_too_large', { url: hop.url, limit: MAX_BYTES })
    chunks.push(chunk)
  }
  return answerOf(answer, Buffer.concat(chunks))
}

/** Text is decoded when it is asked for: a picture never is. */
export const answerOf = (
  answer: Omit<HttpResponse, 'text' | 'bytes'>,
  bytes: Uint8Array,
  text?: string,
): HttpResponse => ({
  ...answer,
  bytes,
  get text() {
    return text ?? decodeBody(bytes, answer.headers['content-type'])
  },
})

const streamed = ({ response, url }: Hop, request: HttpRequest): HttpStream => ({
  status: response.status,
  url,
  headers: Object.fromEntries(response.headers),
  body: chunksOf(response, url, request),
})

async function* chunksOf(response: Response, url: string, request: HttpRequest): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of response.body ?? []) yield chunk
  } catch (error) {
    throw Failure.is(error) ? error : lost(request, networkFailure(url, error, null))
  }
}

/** The errno behind undici's "fetch failed" is what tells a person something. */
function networkFailure(url: string, error: unknown, signal: AbortSignal | null): Failure {
  if (signal?.aborted === true && Failure.is(signal.reason)) return signal.reason
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // The resolver refuses an address with a failure of its own.
  if (Failure.is(cause)) return cause
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause))
  return new Failure('network_error', { url, reason }, { cause: error })
}

/** No connection was made, so that nothing can have happened at the other side. */
const NEVER_LEFT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/

/** What a write's failure means: without an answer nobody knows whether it happened. */
function lost(request: HttpRequest, failure: Failure): Failure {
  if (request.read || !Failure.is(failure, 'network_error') || NEVER_LEFT.test(failure.params.reason))
    return failure
  return outcomeUnknown(request, failure)
}

const outcomeUnknown = ({ method, url }: HttpRequest, cause: Failure): Failure =>
  new Failure('outcome_unknown', { action: `${method} ${url}` }, { cause })
