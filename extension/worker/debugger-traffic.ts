import type { RequestKind, TrafficUpdate } from '../../shared/traffic.ts'
import type { DebugChild, DebugEvent, Holder, Send } from './debug-attachment.ts'
import { BodyReader } from './debugger-bodies.ts'
import { Heard } from './debugger-heard.ts'
import {
  answerOf,
  type CdpAnswer,
  type CdpRequest,
  type ExtraInfo,
  type Failed,
  failureOf,
  initiatorOf,
  isBodiless,
  kindOf,
  listOf,
  type Sent,
  type SocketFrame,
  sentBytes,
  withoutFragment,
} from './debugger-requests.ts'
import { dropOldest, WireHeaders } from './wire-headers.ts'

/** A request under way. */
interface Open {
  /** Redirects so far: the browser keeps one id for all of them. */
  hop: number
  method: string
  url: string
  at: number
  kind: RequestKind
  mime: string
  /** What comes after the beginning is told in monotonic time alone; null where it is not known how that relates. */
  offset: number | null
  /** Decoded bytes that came. */
  bytes: number
  streamed: boolean
  isAnswered: boolean
  /** It was answered without a body. */
  isBodiless: boolean
}

const NEW = { mime: '', bytes: 0, streamed: false, isAnswered: false, isBodiless: false }
const MAX_OPEN = 5000
/** Answers of these never end, or late: they are told piece by piece. */
const STREAMS = /event-stream|ndjson|stream\+json|json-seq|jsonl/
const MESSAGE_CHARS = 256 * 1024
/** So much of what a page sends comes with the event; more is asked for. */
const SENT_WITH_EVENT = 64 * 1024

export interface DebuggerTrafficSettings {
  tab: number
  /** Of one body, in bytes. */
  maxBody: number
  tell: (update: TrafficUpdate) => void
  onLost: () => void
}

/** The requests of a tab, its cross-process frames and its workers as the debugger sees them, with all bodies. */
export class DebuggerTraffic implements Holder {
  readonly #settings: DebuggerTrafficSettings
  readonly #bodies: BodyReader
  readonly #open = new Map<string, Open>()
  readonly #wire: WireHeaders
  readonly #contexts = new Map<string, DebugChild>()
  /** What is under way or has ended, for those who are told of the same requests by the browser. */
  readonly heard = new Heard(() =>
    [...this.#open].map(([id, open]) => ({ ...open, key: this.#keyOf(id, open.hop) })),
  )
  #send: Send | null = null
  #mainFrame = ''
  /** Epoch ms less monotonic seconds × 1000, as the last request told it. */
  #offset: number | null = null

  constructor(settings: DebuggerTrafficSettings) {
    this.#settings = settings
    this.#wire = new WireHeaders(settings.tell)
    this.#bodies = new BodyReader(settings.maxBody, update => settings.tell(update))
  }

  async begin(send: Send): Promise<void> {
    this.#send = send
    await this.#enable(send)
    const { frameTree } = await send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree')
    this.#mainFrame = frameTree.frame.id
  }

  async onChild(child: DebugChild, send: Send): Promise<void> {
    this.#contexts.set(child.sessionId, child)
    await this.#enable(send, child.sessionId)
  }

  onLost(): void {
    this.#settings.onLost()
  }

  onEvent({ method, params, sessionId }: DebugEvent): void {
    const hear = this.#heard[method]
    // The protocol says which params an event has; a handler names those that it reads.
    if (hear !== undefined) hear(params as never, sessionId)
  }

  async #enable(send: Send, sessionId?: string): Promise<void> {
    const { maxBody } = this.#settings
    const buffers = { maxResourceBufferSize: maxBody, maxTotalBufferSize: 4 * maxBody }
    await send('Network.enable', { ...buffers, maxPostDataSize: SENT_WITH_EVENT }, sessionId)
  }

  readonly #heard: Readonly<Record<string, (params: never, sessionId: string | null) => void>> = {
    'Network.requestWillBeSent': (sent: Sent, session) => this.#sent(sent, session),
    'Network.requestWillBeSentExtraInfo': (seen: ExtraInfo) =>
      this.#wire.heard(seen.requestId, 'request_headers', listOf(seen.headers)),
    'Page.frameNavigated': ({ frame }: { frame: { id: string; parentId?: string } }, session) => {
      if (session === null && frame.parentId === undefined) this.#mainFrame = frame.id
    },
    'Network.responseReceived': (
      seen: { requestId: string; timestamp: number; response: CdpAnswer; type: string },
      session,
    ) => this.#answered(seen, session),
    'Network.responseReceivedExtraInfo': (seen: ExtraInfo) =>
      this.#wire.heard(seen.requestId, 'response_headers', listOf(seen.headers)),
    'Network.dataReceived': (seen: {
      requestId: string
      timestamp: number
      dataLength: number
      data?: string
    }) => {
      const open = this.#open.get(seen.requestId)
      if (open === undefined) return
      open.bytes += seen.dataLength
      if (seen.data !== undefined) this.#streamed(seen.requestId, open, seen.data)
    },
    'Network.loadingFinished': (seen: { requestId: string; timestamp: number }, session) =>
      this.#finished(seen, session),
    'Network.loadingFailed': (seen: Failed) => {
      // What a page does not read is canceled; where there was nothing to read, it had all of the answer.
      const isWhole = seen.canceled === true && this.#open.get(seen.requestId)?.isBodiless === true
      this.#end(seen.requestId, seen.timestamp, isWhole ? null : failureOf(seen))
    },
    'Network.webSocketCreated': (
      seen: { requestId: string; url: string; initiator?: Sent['initiator'] },
      session,
    ) => this.#socket(seen, session),
    'Network.webSocketWillSendHandshakeRequest': (seen: {
      requestId: string
      timestamp: number
      wallTime: number
      request: { headers: Record<string, string> }
    }) => {
      const open = this.#open.get(seen.requestId)
      if (open === undefined) return
      open.offset = this.#clocked(seen)
      this.#tell(seen.requestId, seen.wallTime * 1000, { request_headers: listOf(seen.request.headers) })
    },
    'Network.webSocketHandshakeResponseReceived': (seen: {
      requestId: string
      timestamp: number
      response: { status: number; statusText: string; headers: Record<string, string> }
    }) => {
      const answer = answerOf({ ...seen.response, mimeType: '' })
      const open = this.#open.get(seen.requestId)
      if (open !== undefined) open.isAnswered = true
      this.#tell(seen.requestId, this.#at(seen), { answer })
    },
    'Network.webSocketFrameSent': (seen: SocketFrame) => this.#frame(seen, 'sent'),
    'Network.webSocketFrameReceived': (seen: SocketFrame) => this.#frame(seen, 'received'),
    'Network.webSocketFrameError': (seen: { requestId: string; timestamp: number; errorMessage: string }) =>
      this.#end(seen.requestId, seen.timestamp, seen.errorMessage || 'failed'),
    'Network.webSocketClosed': (seen: { requestId: string; timestamp: number }) =>
      this.#end(
        seen.requestId,
        seen.timestamp,
        this.#open.get(seen.requestId)?.isAnswered === true ? null : 'failed',
      ),
    'Network.eventSourceMessageReceived': (seen: {
      requestId: string
      timestamp: number
      eventName: string
      data: string
    }) =>
      this.#message(seen, { direction: 'received', event: seen.eventName, base64: false, text: seen.data }),
  }

  #sent(sent: Sent, session: string | null): void {
    const { requestId, request, timestamp, wallTime, redirectResponse, redirectHasExtraInfo } = sent
    // What an address holds itself is asked of nobody.
    if (request.url.startsWith('data:')) return
    const before = this.#open.get(requestId)
    const at = wallTime * 1000
    if (redirectResponse !== undefined && before !== undefined) {
      const end = { error: null, bytes: null }
      this.#tell(requestId, at, { answer: answerOf(redirectResponse), end })
    }
    // A frame that moves to another process, or a worker's main script, is told of in both sessions.
    else if (before !== undefined) return
    const hop = before === undefined ? 0 : before.hop + 1
    const kind = kindOf(sent, this.#mainFrame)
    const offset = this.#clocked({ wallTime, timestamp })
    const { method, url } = request
    this.#open.set(requestId, { ...NEW, hop, method, url, at, kind, offset })
    if (this.#open.size > MAX_OPEN) dropOldest(this.#open)
    this.#tell(requestId, at, {
      begin: {
        source: 'debugger',
        tab: this.#settings.tab,
        method: request.method,
        url: withoutFragment(request.url),
        kind,
        initiator: initiatorOf(sent.initiator) ?? (sent.documentURL || null),
        context: this.#contextOf(session, sent.documentURL),
        redirect_of: hop === 0 ? null : this.#keyOf(requestId, hop - 1),
      },
      request_headers: listOf(request.headers),
    })
    this.#wire.began(requestId, this.#keyOf(requestId, hop), redirectHasExtraInfo)
    this.#sentBody(requestId, request, session)
  }

  #sentBody(requestId: string, request: CdpRequest, session: string | null): void {
    const { postData, hasPostData } = request
    const key = this.#keyOf(requestId, this.#open.get(requestId)?.hop ?? 0)
    if (postData !== undefined && postData.length < SENT_WITH_EVENT) {
      const bytes = sentBytes(request)
      const request_body = { text: bytes ?? postData, base64: bytes !== null, cut: false }
      this.#settings.tell({ key, at: Date.now(), request_body })
    } else if (hasPostData === true && this.#send !== null)
      this.#bodies.readSent({ key, requestId, send: this.#send, session })
  }

  #answered(
    seen: { requestId: string; timestamp: number; response: CdpAnswer },
    session: string | null,
  ): void {
    const open = this.#open.get(seen.requestId)
    if (open === undefined) return
    open.mime = seen.response.mimeType
    open.isBodiless = isBodiless(open.method, seen.response)
    this.#tell(seen.requestId, this.#at(seen), { answer: answerOf(seen.response) })
    if (!STREAMS.test(open.mime) || open.kind === 'eventsource' || this.#send === null) return
    const key = this.#keyOf(seen.requestId, open.hop)
    void this.#bodies.stream({ key, requestId: seen.requestId, send: this.#send, session }, () => {
      open.streamed = this.#open.get(seen.requestId) === open
      return open.streamed
    })
  }

  #streamed(requestId: string, open: Open, data: string): void {
    const cut = open.bytes > this.#settings.maxBody
    const response_body = { text: cut ? '' : data, base64: true, cut, more: true }
    this.#tell(requestId, Date.now(), { response_body })
  }

  #finished(seen: { requestId: string; timestamp: number }, session: string | null): void {
    const open = this.#open.get(seen.requestId)
    if (open === undefined) return
    const { kind, bytes, hop, streamed } = open
    const isTold = streamed || kind === 'websocket' || kind === 'eventsource'
    if (isTold || this.#send === null) {
      this.#end(seen.requestId, seen.timestamp, null)
      return
    }
    const key = this.#keyOf(seen.requestId, hop)
    const end = { key, at: this.#at(seen), end: { error: null, bytes } }
    this.#forget(seen.requestId)
    this.#bodies.read({ key, requestId: seen.requestId, send: this.#send, session, bytes, end })
  }

  #end(requestId: string, timestamp: number, error: string | null): void {
    const open = this.#open.get(requestId)
    if (open === undefined) return
    const bytes = open.kind === 'websocket' ? null : open.bytes
    this.#tell(requestId, this.#at({ requestId, timestamp }), { end: { error, bytes } })
    this.#forget(requestId)
  }

  #forget(requestId: string): void {
    const open = this.#open.get(requestId)
    if (open !== undefined) this.heard.ended(open)
    this.#open.delete(requestId)
  }

  #socket(
    { requestId, url, initiator }: { requestId: string; url: string; initiator?: Sent['initiator'] },
    session: string | null,
  ): void {
    const at = Date.now()
    this.#open.set(requestId, {
      ...NEW,
      hop: 0,
      method: 'GET',
      url,
      at,
      kind: 'websocket',
      offset: this.#offset,
    })
    this.#tell(requestId, at, {
      begin: {
        source: 'debugger',
        tab: this.#settings.tab,
        method: 'GET',
        url,
        kind: 'websocket',
        initiator: initiatorOf(initiator ?? {}),
        context: this.#contextOf(session, ''),
        redirect_of: null,
      },
    })
    this.#wire.began(requestId, this.#keyOf(requestId, 0))
  }

  #frame(seen: SocketFrame, direction: 'sent' | 'received'): void {
    const { opcode, payloadData: text } = seen.response
    // 1 is text; others come as base64.
    this.#message(seen, { direction, event: null, base64: opcode !== 1, text })
  }

  #message(
    seen: { requestId: string; timestamp: number },
    message: { direction: 'sent' | 'received'; event: string | null; base64: boolean; text: string },
  ): void {
    const cut = message.text.length > MESSAGE_CHARS
    const text = cut ? message.text.slice(0, MESSAGE_CHARS) : message.text
    this.#tell(seen.requestId, this.#at(seen), { message: { ...message, text, cut } })
  }

  #tell(requestId: string, at: number, update: Omit<TrafficUpdate, 'key' | 'at'>): void {
    const open = this.#open.get(requestId)
    if (open !== undefined) this.#settings.tell({ key: this.#keyOf(requestId, open.hop), at, ...update })
  }

  #keyOf = (requestId: string, hop: number): string => `d${this.#settings.tab}.${requestId}.${hop}`

  #at({ requestId, timestamp }: { requestId: string; timestamp: number }): number {
    const offset = this.#open.get(requestId)?.offset ?? this.#offset
    return offset === null ? Date.now() : timestamp * 1000 + offset
  }

  #clocked({ wallTime, timestamp }: { wallTime: number; timestamp: number }): number {
    this.#offset = (wallTime - timestamp) * 1000
    return this.#offset
  }

  #contextOf(session: string | null, document: string): string | null {
    const child = session === null ? undefined : this.#contexts.get(session)
    // A frame that is just being made has no address yet.
    return child === undefined ? null : `${child.type} ${child.url || document}`
  }
}
