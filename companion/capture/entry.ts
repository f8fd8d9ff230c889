import { headerOf } from '../../shared/http.ts'
import type {
  BodyPiece,
  HeaderList,
  RequestKind,
  TrafficBegin,
  TrafficSource,
  TrafficUpdate,
} from '../../shared/traffic.ts'
import type { Exchange, KeptMessage } from '../ports/traffic.ts'
import { asText, Body, type Spill } from './bodies.ts'
import { READ_AS_LATIN, rereadAsUtf8 } from './latin.ts'
import { safeHeaders, safeShort, safeUrl } from './redaction.ts'

/** Messages of one socket or event stream; the newest stay. */
const MAX_MESSAGES = 1000
/** A message longer than this is cut. Characters. */
const MESSAGE_CHARS = 64 * 1024

/** One request while it goes on: it takes up what is told of it, without its secrets. */
export class Entry implements Exchange {
  readonly id: string
  readonly number: number
  source: TrafficSource
  readonly tab: number
  readonly method: string
  readonly url: string
  kind: RequestKind
  initiator: string | null
  context: string | null
  redirected_from: string | null = null
  redirected_to: string | null = null
  readonly started_at: number
  answered_at: number | null = null
  ended_at: number | null = null
  status: number | null = null
  status_text = ''
  mime = ''
  protocol: string | null = null
  from: Exchange['from'] = 'network'
  error: string | null = null
  bytes: number | null = null
  request_headers: HeaderList = []
  response_headers: HeaderList = []
  request_body: Body | null = null
  response_body: Body | null = null
  readonly messages: KeptMessage[] = []
  messages_dropped = 0
  /** The hook in the page has told its part. */
  isJoined = false
  /** Bodies that are being kept. */
  #pending = 0
  #weight = 500

  constructor(number: number, at: number, begin: TrafficBegin) {
    this.number = number
    this.id = `r${number}`
    this.source = begin.source
    this.tab = begin.tab
    this.method = begin.method.toUpperCase()
    this.url = safeUrl(begin.url)
    this.kind = begin.kind
    this.initiator = begin.initiator === null ? null : safeUrl(begin.initiator)
    this.context = begin.context === null ? null : safeUrl(begin.context)
    this.started_at = at
    this.#weight += this.url.length
  }

  /** What of it lies in memory, about. */
  get weight(): number {
    return this.#weight + (this.request_body?.weight ?? 0) + (this.response_body?.weight ?? 0)
  }

  /** Another tells of the same request. */
  join(begin: TrafficBegin): void {
    this.isJoined = true
    if (begin.source === 'browser') return
    this.kind = begin.kind
    this.initiator = begin.initiator === null ? this.initiator : safeUrl(begin.initiator)
    if (begin.source !== 'debugger') return
    this.source = 'debugger'
    this.context = begin.context
  }

  /** It has ended and all that belongs to it is there. */
  get isWhole(): boolean {
    return this.ended_at !== null && !this.isBeingKept
  }

  get isBeingKept(): boolean {
    return this.#pending > 0
  }

  /** Resolves when bodies that came with it are kept. */
  async take(update: TrafficUpdate, spill: Spill): Promise<void> {
    const { request_headers, response_headers, answer, message, end, at } = update
    // A page tells late and knows less than the browser: neither why something failed nor whether it came from a cache.
    const isSecondHand = update.begin?.source === 'page' && this.source !== 'page'
    if (request_headers !== undefined)
      this.request_headers = this.#fuller(this.request_headers, request_headers)
    if (answer !== undefined && !(isSecondHand && this.status !== null)) {
      this.status = answer.status
      this.status_text = answer.status_text || this.status_text
      this.mime = answer.mime.toLowerCase()
      this.protocol = answer.protocol ?? this.protocol
      this.from = answer.from
      this.answered_at ??= Math.max(end?.at ?? at, this.started_at)
      this.response_headers = this.#fuller(this.response_headers, answer.headers)
    }
    if (response_headers !== undefined)
      this.response_headers = this.#fuller(this.response_headers, response_headers)
    if (message !== undefined) this.#message(message, at)
    if (end !== undefined && !(isSecondHand && this.ended_at !== null)) {
      this.ended_at = Math.max(end.at ?? at, this.answered_at ?? this.started_at)
      this.error = end.error
      this.bytes = end.bytes ?? this.bytes
    }
    this.#pending++
    try {
      await this.#bodies(update, spill)
    } finally {
      this.#pending--
    }
  }

  async #bodies({ request_body, response_body }: TrafficUpdate, spill: Spill): Promise<void> {
    if (request_body !== undefined) {
      this.request_body ??= new Body()
      await this.request_body.set(request_body, headerOf(this.request_headers, 'content-type'), spill)
    }
    if (response_body === undefined) return
    const body = this.response_body ?? new Body()
    this.response_body = body
    if (response_body.more === true) body.append(response_body)
    else await body.set(this.#asSent(response_body), this.mime, spill)
    this.bytes ??= body.bytes
  }

  /** The debugger reads text that names no charset in a way of its own. */
  #asSent(piece: BodyPiece): BodyPiece {
    const isNamed = /charset=/i.test(headerOf(this.response_headers, 'content-type'))
    if (piece.base64 || isNamed || this.source !== 'debugger' || !READ_AS_LATIN.test(this.mime)) return piece
    return { ...piece, text: rereadAsUtf8(piece.text) }
  }

  #message(message: NonNullable<TrafficUpdate['message']>, at: number): void {
    const { direction, event, base64: binary } = message
    const whole = binary ? safeBytes(message.text) : safeShort(message.text)
    // Base64 with a mark behind it would be none.
    const mark = binary ? '' : '…'
    const text = whole.length > MESSAGE_CHARS ? whole.slice(0, MESSAGE_CHARS) + mark : whole
    this.messages.push({ at, direction, text, binary, event })
    this.#weight += 100 + text.length
    if (this.messages.length <= MAX_MESSAGES) return
    this.#weight -= 100 + (this.messages.shift()?.text.length ?? 0)
    this.messages_dropped++
  }

  /** Several tell of the same headers; who sees more of them is right. */
  #fuller(before: HeaderList, told: HeaderList): HeaderList {
    if (told.length < before.length) return before
    const weigh = (list: HeaderList) =>
      list.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    const safe = safeHeaders(told)
    this.#weight += weigh(safe) - weigh(before)
    return safe
  }
}

/** Many programs send text as bytes. */
function safeBytes(base64: string): string {
  const text = asText(Buffer.from(base64, 'base64'))
  const safe = text === null ? null : safeShort(text)
  return safe === null || safe === text ? base64 : Buffer.from(safe).toString('base64')
}
