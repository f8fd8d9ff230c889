import type { NewRoute, RequestKind } from '../../shared/traffic.ts'
import type { DebugChild, DebugEvent, Holder, Send } from './debug-attachment.ts'

interface Paused {
  requestId: string
  request: { url: string; method: string; headers: Record<string, string> }
  resourceType: string
}

type Mock = Extract<NewRoute['action'], { do: 'mock' }>
type Throttle = Extract<NewRoute['action'], { do: 'throttle' }>

const UNLIMITED: Throttle = { do: 'throttle', offline: false, latency_ms: 0, down: 0, up: 0 }

/** Kinds that the protocol calls by another name than ours with a capital. */
const TYPES: Partial<Record<RequestKind, string>> = {
  frame: 'Document',
  style: 'Stylesheet',
  xhr: 'XHR',
  beacon: 'Ping',
  eventsource: 'EventSource',
  websocket: 'WebSocket',
}

/** Answers requests in the place of their servers, and slows the network down, in one tab with frames and workers. */
export class DebuggerRoutes implements Holder {
  #rules: readonly NewRoute[]
  readonly onLost: () => void
  readonly #children = new Set<string>()
  #send: Send | null = null

  constructor(rules: readonly NewRoute[], onLost: () => void) {
    this.#rules = rules
    this.onLost = onLost
  }

  async begin(send: Send): Promise<void> {
    this.#send = send
    await this.#enable(send)
  }

  async onChild({ sessionId }: DebugChild, send: Send): Promise<void> {
    this.#children.add(sessionId)
    await this.#enable(send, sessionId)
  }

  async set(rules: readonly NewRoute[]): Promise<void> {
    this.#rules = rules
    const send = this.#send
    if (send === null) return
    await this.#enable(send)
    await Promise.allSettled([...this.#children].map(session => this.#enable(send, session)))
  }

  onEvent({ method, params, sessionId }: DebugEvent): void {
    // The protocol says which params this event has.
    if (method === 'Fetch.requestPaused') void this.#decide(params as unknown as Paused, sessionId)
    if (method === 'Target.detachedFromTarget')
      this.#children.delete((params as { sessionId: string }).sessionId)
  }

  async #enable(send: Send, sessionId?: string): Promise<void> {
    const mocks = this.#rules.filter(({ action }) => action.do === 'mock')
    const patterns = mocks.map(({ match }) => ({ urlPattern: patternOf(match), requestStage: 'Request' }))
    await (mocks.length === 0
      ? send('Fetch.disable', {}, sessionId)
      : send('Fetch.enable', { patterns }, sessionId))
    const { offline, latency_ms, down, up } = this.#throttle()
    await send('Network.enable', {}, sessionId)
    const limits = { downloadThroughput: bytesOf(down), uploadThroughput: bytesOf(up) }
    await send('Network.emulateNetworkConditions', { offline, latency: latency_ms, ...limits }, sessionId)
  }

  #throttle(): Throttle {
    const last = this.#rules.findLast(({ action }) => action.do === 'throttle')?.action
    return last?.do === 'throttle' ? last : UNLIMITED
  }

  async #decide({ requestId, request, resourceType }: Paused, session: string | null): Promise<void> {
    const rule = this.#rules.findLast(one => one.action.do === 'mock' && fits(one, request, resourceType))
    const [method, params] =
      rule?.action.do === 'mock'
        ? ['Fetch.fulfillRequest', { requestId, ...answerOf(rule.action, request.headers) }]
        : ['Fetch.continueRequest', { requestId }]
    try {
      await this.#send?.(String(method), params as Record<string, unknown>, session ?? undefined)
    } catch (error) {
      // The document that asked went away meanwhile.
      console.debug(`${request.url} was not answered`, error)
    }
  }
}

/** In kilobytes a second; the protocol wants bytes, and -1 for no limit. */
const bytesOf = (kilobytes: number): number => (kilobytes === 0 ? -1 : kilobytes * 1024)

/** The protocol's own globs: `*`, `?`, and a backslash before what is meant as it is written. */
const patternOf = (match: string): string => {
  const escaped = match.replace(/[\\?]/g, '\\$&')
  return match.includes('*') ? escaped : `*${escaped}*`
}

function fits(rule: NewRoute, { url, method }: Paused['request'], type: string): boolean {
  if (rule.methods.length > 0 && !rule.methods.some(one => one.toUpperCase() === method)) return false
  if (rule.kinds.length > 0 && !rule.kinds.some(kind => typeOf(kind) === type)) return false
  return globFits(rule.match, url)
}

const typeOf = (kind: RequestKind): string => TYPES[kind] ?? `${kind[0]?.toUpperCase()}${kind.slice(1)}`

/** Piece by piece, so that no glob costs more than the address is long for each of its pieces. */
export function globFits(match: string, url: string): boolean {
  const pieces = match.split('*')
  const [first = '', ...rest] = pieces
  const last = rest.pop()
  if (last === undefined) return url.includes(first)
  if (!url.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = url.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return url.length - last.length >= at && url.endsWith(last)
}

/** An answer across origins is read only when it says that it may be; one that does not say is meant to be read. */
function answerOf(mock: Mock, asked: Record<string, string>): Record<string, unknown> {
  const names = new Set(Object.keys(mock.headers).map(name => name.toLowerCase()))
  const origin = asked.Origin ?? asked.origin
  const headers = { ...mock.headers }
  if (!names.has('content-type')) headers['content-type'] = guessType(mock)
  if (origin !== undefined && !names.has('access-control-allow-origin')) {
    headers['access-control-allow-origin'] = origin
    headers['access-control-allow-credentials'] = 'true'
  }
  return {
    responseCode: mock.status,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: mock.body_base64 ? mock.body : base64Of(mock.body),
  }
}

const guessType = ({ body, body_base64 }: Mock): string =>
  body_base64
    ? 'application/octet-stream'
    : /^\s*[[{"]/.test(body)
      ? 'application/json'
      : 'text/plain; charset=utf-8'

function base64Of(text: string): string {
  let binary = ''
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte)
  return btoa(binary)
}
