import { isBodilessStatus } from '../../shared/http.ts'
import type { NewRoute, RequestKind } from '../../shared/traffic.ts'
import { toBase64 } from './base64.ts'
import type { DebugChild, DebugEvent, Holder, Send } from './debug-attachment.ts'
import { asSent } from './route-rules.ts'

interface Paused {
  requestId: string
  request: { url: string; method: string; headers: Record<string, string> }
  resourceType: string
  frameId: string
  /** There once it was answered. */
  responseStatusCode?: number
  responseStatusText?: string
  responseHeaders?: { name: string; value: string }[]
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

/** Blocks, answers and changes requests, and slows the network down, in one tab with frames and workers. */
export class DebuggerRoutes implements Holder {
  #rules: readonly NewRoute[]
  readonly onLost: () => void
  readonly #children = new Set<string>()
  #send: Send | null = null
  #mainFrame = ''

  constructor(rules: readonly NewRoute[], onLost: () => void) {
    this.#rules = rules.map(matchable)
    this.onLost = onLost
  }

  async begin(send: Send): Promise<void> {
    this.#send = send
    const { frameTree } = await send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree')
    this.#mainFrame = frameTree.frame.id
    await this.#enable(send)
  }

  async onChild({ sessionId }: DebugChild, send: Send): Promise<void> {
    this.#children.add(sessionId)
    await this.#inChild(send, sessionId)
  }

  async set(rules: readonly NewRoute[]): Promise<void> {
    this.#rules = rules.map(matchable)
    const send = this.#send
    if (send === null) return
    await this.#enable(send)
    await Promise.all([...this.#children].map(session => this.#inChild(send, session)))
  }

  /** Workers know only a part of this: what a dedicated one asks for is paused with the requests of its page. */
  async #inChild(send: Send, sessionId: string): Promise<void> {
    try {
      await this.#enable(send, sessionId)
    } catch (error) {
      console.debug('a worker does not take all routes', error)
    }
  }

  onEvent({ method, params, sessionId }: DebugEvent): void {
    // The protocol says which params this event has.
    if (method === 'Fetch.requestPaused') void this.#decide(params as unknown as Paused, sessionId)
    if (method === 'Target.detachedFromTarget')
      this.#children.delete((params as { sessionId: string }).sessionId)
  }

  async #enable(send: Send, sessionId?: string): Promise<void> {
    const patterns = this.#rules.flatMap(patternsOf)
    const { offline, latency_ms, down, up } = this.#throttle()
    const limits = { downloadThroughput: bytesOf(down), uploadThroughput: bytesOf(up) }
    // All at once: a worker that has not begun answers none of them.
    await Promise.all([
      patterns.length === 0
        ? send('Fetch.disable', {}, sessionId)
        : send('Fetch.enable', { patterns }, sessionId),
      send('Network.enable', {}, sessionId),
      send('Network.emulateNetworkConditions', { offline, latency: latency_ms, ...limits }, sessionId),
    ])
  }

  #throttle(): Throttle {
    const last = this.#rules.findLast(({ action }) => action.do === 'throttle')?.action
    return last?.do === 'throttle' ? last : UNLIMITED
  }

  async #decide(paused: Paused, session: string | null): Promise<void> {
    const rules = this.#rules.filter(rule => fits(rule, paused, this.#mainFrame))
    const [method, params] =
      paused.responseStatusCode === undefined ? asked(paused, rules) : answered(paused, rules)
    if (await this.#tell(paused, session, method, params)) return
    // The browser knows no words for a status that no standard has.
    const responsePhrase = paused.responseStatusText || 'Status'
    if (
      'responseCode' in params &&
      (await this.#tell(paused, session, method, { ...params, responsePhrase }))
    )
      return
    // Nobody else lets it go: it would wait for ever.
    await this.#tell(paused, session, 'Fetch.failRequest', { errorReason: 'Failed' })
  }

  /** False where the browser does not take it, or the document that asked went away meanwhile. */
  async #tell({ requestId, request }: Paused, session: string | null, ...[method, params]: Command) {
    try {
      await this.#send?.(method, { requestId, ...params }, session ?? undefined)
      return true
    } catch (error) {
      console.debug(`${method} of ${request.url}`, error)
      return false
    }
  }
}

type Command = [method: string, params: Record<string, unknown>]

/** What becomes of a request that has not left. */
function asked({ request }: Paused, rules: readonly NewRoute[]): Command {
  if (rules.some(({ action }) => action.do === 'block'))
    return ['Fetch.failRequest', { errorReason: 'BlockedByClient' }]
  const mock = rules.findLast(({ action }) => action.do === 'mock')?.action
  if (mock?.do === 'mock') return ['Fetch.fulfillRequest', answerOf(mock, request)]
  const headers = changed(Object.entries(request.headers), rules, 'request')
  return ['Fetch.continueRequest', headers === null ? {} : { headers }]
}

/** What becomes of an answer that the page has not seen. */
function answered({ responseStatusCode, responseHeaders = [] }: Paused, rules: readonly NewRoute[]): Command {
  const entries = responseHeaders.map(({ name, value }): [string, string] => [name, value])
  const headers = changed(entries, rules, 'response')
  if (headers === null) return ['Fetch.continueResponse', {}]
  return ['Fetch.continueResponse', { responseCode: responseStatusCode, responseHeaders: headers }]
}

/** Null where no rule says anything of them. */
function changed(
  entries: readonly [string, string][],
  rules: readonly NewRoute[],
  of: 'request' | 'response',
): { name: string; value: string }[] | null {
  const changes = rules.flatMap(({ action }) => (action.do === 'headers' ? Object.entries(action[of]) : []))
  if (changes.length === 0) return null
  const names = new Set(changes.map(([name]) => name.toLowerCase()))
  const left = entries.filter(([name]) => !names.has(name.toLowerCase()))
  const last = new Map(changes.map(([name, value]) => [name.toLowerCase(), value]))
  const put = [...last].flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
  return [...left.map(([name, value]) => ({ name, value })), ...put]
}

function patternsOf({ match, action }: NewRoute): { urlPattern: string; requestStage: string }[] {
  if (action.do === 'throttle') return []
  const urlPattern = patternOf(match)
  const changesAnswer = action.do === 'headers' && Object.keys(action.response).length > 0
  const stages = changesAnswer ? ['Request', 'Response'] : ['Request']
  return stages.map(requestStage => ({ urlPattern, requestStage }))
}

/** In kilobytes a second; the protocol wants bytes, and -1 for no limit. */
const bytesOf = (kilobytes: number): number => (kilobytes === 0 ? -1 : kilobytes * 1024)

/** The protocol's own globs: `*`, `?`, and a backslash before what is meant as it is written. */
const patternOf = (match: string): string => {
  const escaped = match.replace(/[\\?]/g, '\\$&')
  return match.includes('*') ? escaped : `*${escaped}*`
}

const matchable = (rule: NewRoute): NewRoute => ({ ...rule, match: asSent(rule.match) })

function fits(rule: NewRoute, { request, resourceType, frameId }: Paused, mainFrame: string): boolean {
  const { url, method } = request
  if (rule.methods.length > 0 && !rule.methods.some(one => one.toUpperCase() === method)) return false
  const isOfKind = (kind: RequestKind) =>
    typeOf(kind) === resourceType &&
    // The protocol has one word for the two.
    (resourceType !== 'Document' || (kind === 'document') === (frameId === mainFrame))
  if (rule.kinds.length > 0 && !rule.kinds.some(isOfKind)) return false
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
function answerOf(mock: Mock, { method, headers: sent }: Paused['request']): Record<string, unknown> {
  const named = new Map(Object.keys(mock.headers).map(name => [name.toLowerCase(), name]))
  const asked = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  const headers = { ...mock.headers }
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined && !named.has(name)) headers[name] = value
  }
  const type = named.get('content-type')
  if (type === undefined) headers['content-type'] = guessType(mock)
  else if (!mock.body_base64) headers[type] = withCharset(mock.headers[type] ?? '')
  const origin = asked.get('origin')
  if (origin !== undefined && !named.has('access-control-allow-origin')) {
    headers['access-control-allow-origin'] = origin
    put('access-control-allow-credentials', 'true')
    put('access-control-allow-methods', asked.get('access-control-request-method'))
    put('access-control-allow-headers', asked.get('access-control-request-headers'))
  }
  // The question whether it may be asked is answered yes, whatever comes of it.
  const isAsking = method === 'OPTIONS' && asked.has('access-control-request-method')
  const responseCode = isAsking ? 204 : mock.status
  const isBodiless = method === 'HEAD' || isBodilessStatus(responseCode)
  return {
    responseCode,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    // The browser would hand a body on that no server can send.
    body: isBodiless ? '' : mock.body_base64 ? mock.body : base64Of(mock.body),
  }
}

/** Text is sent as UTF-8; a page that is not told so takes it for something else. */
const withCharset = (type: string): string =>
  /^\s*text\//i.test(type) && !/charset=/i.test(type) ? `${type}; charset=utf-8` : type

const guessType = ({ body, body_base64 }: Mock): string =>
  body_base64
    ? 'application/octet-stream'
    : /^\s*[[{"]/.test(body)
      ? 'application/json'
      : 'text/plain; charset=utf-8'

const base64Of = (text: string): string => toBase64(new TextEncoder().encode(text))
