import { Failure } from '../../shared/failures.ts'
import type { WebResponse } from '../../shared/values.ts'
import type { WireHandlers, WireParams } from '../../shared/wire.ts'
import { fromBase64 } from '../worker/base64.ts'
import { navigate } from '../worker/navigation.ts'
import { checkGranted, originOf } from '../worker/site-gate.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { decodeBody } from './body.ts'
import { fetchInPage } from './page-fetch.ts'

type Params = WireParams<'http.fetch'>
interface Call {
  signal: AbortSignal
  deadline: number
  granted?: readonly string[]
}

export const httpHandlers = (parts: WorkerParts): Pick<WireHandlers, 'http.fetch'> => ({
  'http.fetch': async (params, call) => {
    refuseForbidden(params.headers)
    return params.via === 'page'
      ? await fetchViaPage(parts, params, call)
      : await fetchViaWorker(parts, params, call)
  },
})

/** Names that fetch drops without a word: the caller must learn that they do nothing. */
const FORBIDDEN =
  /^(accept-charset|accept-encoding|access-control-request-(headers|method|private-network)|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|via|(proxy|sec)-.*)$/i

function refuseForbidden(headers: Record<string, string>): void {
  const forbidden = Object.keys(headers).filter(name => FORBIDDEN.test(name))
  if (forbidden.length > 0)
    throw new Failure('bad_request', { reason: `the browser itself sets ${forbidden.join(', ')}` })
}

async function fetchViaWorker(parts: WorkerParts, params: Params, call: Call): Promise<WebResponse> {
  const { signal } = call
  const method = params.method.toUpperCase()
  const target = new URL(params.url).origin
  return await parts.origins.during(target, params.origin, method, async () => {
    const response = await attempt(params.url, signal, () =>
      fetch(params.url, {
        method,
        headers: params.headers,
        body: bodyOf(params),
        credentials: 'include',
        cache: 'no-store',
        signal,
      }),
    )
    checkAnswer(response.url, method, call)
    const bytes = await attempt(params.url, signal, () => readBytes(response, params))
    return {
      status: response.status,
      url: response.url,
      headers: Object.fromEntries(response.headers.entries()),
      ...decodeBody(bytes, response.headers.get('content-type') ?? ''),
      via: 'worker',
    }
  })
}

/** A redirect may have led to a site that was not granted: of that, nothing is told. */
function checkAnswer(url: string, method: string, { granted = [] }: Call): void {
  try {
    checkGranted(url, granted)
  } catch (cause) {
    if (method === 'GET' || method === 'HEAD') throw cause
    // It is not to be sent again.
    throw new Failure('outcome_unknown', { action: `${method} ${url}` }, { cause })
  }
}

const bodyOf = ({ body, body_base64: isBase64 }: Params): BodyInit | null =>
  body !== null && isBase64 === true ? new Blob([fromBase64(body)]) : body

/** Turns what fetch throws into network_error, and lets through what the signal was aborted with. */
async function attempt<T>(url: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (Failure.is(error)) throw error
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('network_error', { url, reason }, { cause: error })
  }
}

async function readBytes(response: Response, { url, max_bytes }: Params): Promise<Uint8Array> {
  const tooLarge = (): Failure => new Failure('response_too_large', { url, limit: max_bytes })
  if (Number(response.headers.get('content-length') ?? 0) > max_bytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  if (response.body === null) return new Uint8Array(0)
  const parts: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const part of response.body) {
    size += part.length
    // Leaving the loop cancels the stream.
    if (size > max_bytes) throw tooLarge()
    parts.push(part)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

async function fetchViaPage(parts: WorkerParts, params: Params, call: Call): Promise<WebResponse> {
  const { session, url, origin } = params
  const tab = await tabOn(parts, session, origin, call)
  const method = params.method.toUpperCase()
  const answer = await parts.scripts.run({ tab }, session, call.signal, fetchInPage, [
    {
      url,
      method,
      headers: params.headers,
      body: params.body,
      isBase64: params.body_base64 === true,
      maxBytes: params.max_bytes,
      timeoutMs: call.deadline - Date.now(),
    },
  ])
  if (answer === null) throw new Failure('outcome_unknown', { action: `${method} ${url}` })
  if (!answer.ok) {
    if (answer.kind === 'too_large') throw new Failure('response_too_large', { url, limit: params.max_bytes })
    throw new Failure('network_error', { url, reason: answer.reason })
  }
  checkAnswer(answer.url, method, call)
  const { status, headers } = answer
  const decoded = decodeBody(fromBase64(answer.body), headers['content-type'] ?? '')
  return { status, url: answer.url, headers, ...decoded, via: 'page' }
}

/** The session's tab on a page of the origin, brought there when it is elsewhere. */
async function tabOn(parts: WorkerParts, session: string, origin: string, call: Call): Promise<number> {
  const open = (await parts.sessions.find(session)) !== null
  // Asked for by name, so that a frozen tab is woken.
  const tab = open ? await parts.sessions.tabOf(session) : null
  if (tab !== null && originOf((await parts.sessions.info(session)).url) === origin) return tab
  const info = await navigate(parts.sessions, { session, url: `${origin}/`, until: 'commit' }, call.signal)
  if (originOf(info.url) === origin) return info.tab
  throw new Failure('navigation_failed', { url: `${origin}/`, reason: `it leads to ${info.url}` })
}
