import { headerOf } from '../../shared/http.ts'
import type { BodyPart, Exchange, KeptLine, SessionTraffic } from '../ports/traffic.ts'

export const PARTS = [
  'request-headers',
  'request-body',
  'response-headers',
  'response-body',
  'messages',
] as const
type Part = (typeof PARTS)[number]

const URL_CHARS = 200
const MESSAGES_SHOWN = 50

/** `r12 GET 200 xhr 1.2kB 34ms https://host/path`: as cheap to read as it can be. */
export function requestLine(exchange: Exchange): string {
  const { id, method, kind, url, bytes, error, status, from, redirected_to, messages } = exchange
  const ended = exchange.ended_at
  const parts = [
    id,
    method,
    error ?? (status === null ? (ended === null ? 'pending' : 'ended') : String(status)),
    kind,
  ]
  if (bytes !== null && bytes > 0) parts.push(sizeOf(bytes))
  if (ended !== null) parts.push(`${Math.round(ended - exchange.started_at)}ms`)
  if (from === 'cache') parts.push('cached')
  if (from === 'service_worker') parts.push('by-worker')
  if (messages.length > 0) parts.push(`${messages.length} messages`)
  parts.push(shortened(url))
  if (redirected_to !== null) parts.push(`→ ${redirected_to}`)
  return parts.join(' ')
}

/** `c3 error app.js:10 text`. */
export function consoleLine({ number, level, kind, url, line, text }: KeptLine): string {
  const place = url === null ? '' : ` ${fileOf(url)}${line === null ? '' : `:${line}`}`
  const what = kind === 'console' || kind === 'browser' ? level : kind
  return `c${number} ${what}${place} ${text}`
}

const fileOf = (url: string): string => {
  const path = URL.canParse(url) ? new URL(url).pathname : url
  return path.split('/').at(-1) || path
}

function shortened(url: string): string {
  if (url.length <= URL_CHARS) return url
  const half = URL_CHARS / 2
  return `${url.slice(0, half)}…${url.slice(-half)}`
}

const sizeOf = (bytes: number): string => {
  if (bytes < 1000) return `${bytes}B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)}kB` : `${(bytes / 1_000_000).toFixed(1)}MB`
}

export interface Detail {
  parts: readonly Part[]
  maxChars: number
}

/** One request with the parts that are wanted; what is long is a blob, to be fetched as evidence. */
export function detailOf(traffic: SessionTraffic, exchange: Exchange, { parts, maxChars }: Detail): object {
  const { id, method, url, kind, status, status_text, mime, protocol, error, bytes, initiator, context } =
    exchange
  const wants = (part: Part) => parts.includes(part)
  return {
    ...{ id, method, url, kind, status },
    ...given({
      status_text: status_text || null,
      mime: mime || null,
      protocol,
      error,
      bytes,
      initiator,
      context,
    }),
    from: exchange.from,
    seen_by: exchange.source,
    ...given({ redirected_from: exchange.redirected_from, redirected_to: exchange.redirected_to }),
    timing: timingOf(exchange),
    ...(wants('request-headers') ? { request_headers: headersOf(exchange.request_headers) } : {}),
    ...(wants('request-body') ? bodyOf(traffic, exchange, 'request_body', maxChars) : {}),
    ...(wants('response-headers') ? { response_headers: headersOf(exchange.response_headers) } : {}),
    ...(wants('response-body') ? bodyOf(traffic, exchange, 'response_body', maxChars) : {}),
    ...(wants('messages') ? messagesOf(exchange, maxChars) : {}),
  }
}

const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))

function timingOf({ started_at, answered_at, ended_at }: Exchange): Record<string, unknown> {
  return given({
    started_at: new Date(started_at).toISOString(),
    wait_ms: answered_at === null ? null : Math.round(answered_at - started_at),
    total_ms: ended_at === null ? null : Math.round(ended_at - started_at),
  })
}

function headersOf(list: Exchange['request_headers']): Record<string, string> {
  const headers = new Map<string, string>()
  for (const [name, value] of list) {
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  return Object.fromEntries(headers)
}

const NOT_KEPT =
  'Not kept: call network.start before the request. What workers that tabs share ask for, and what is sent while a page is left, has no body here.'

function bodyOf(traffic: SessionTraffic, exchange: Exchange, part: BodyPart, maxChars: number): object {
  const kept = exchange[part]
  if (kept === null || (kept.bytes === 0 && !exchange.isWhole))
    return part === 'response_body' && exchange.source === 'browser' && exchange.redirected_to === null
      ? { response_body_note: NOT_KEPT }
      : {}
  const { bytes, binary, cut } = kept
  const type = part === 'response_body' ? exchange.mime : headerOf(exchange.request_headers, 'content-type')
  // A form with files in it still has fields to read.
  const isShown = !binary || /^multipart\//i.test(type)
  const text = isShown ? Buffer.from(traffic.body(exchange.id, part) ?? []).toString('utf8') : ''
  const isWhole = !binary && text.length <= maxChars
  return {
    ...(isShown ? { [part]: text.length <= maxChars ? text : `${text.slice(0, maxChars)}…` } : {}),
    ...(isWhole
      ? {}
      : {
          [`${part}_blob`]: {
            blob: traffic.blob(exchange.id, part),
            media_type: type || 'application/octet-stream',
            bytes,
          },
        }),
    ...(cut ? { [`${part}_note`]: 'Cut or left out: it is larger than may be kept.' } : {}),
  }
}

function messagesOf({ messages, messages_dropped }: Exchange, maxChars: number): object {
  if (messages.length === 0) return {}
  const shown = messages.slice(-MESSAGES_SHOWN).map(({ at, direction, text, binary, event }) => ({
    at,
    direction,
    ...given({ event }),
    [binary ? 'base64' : 'text']: text.length > maxChars ? `${text.slice(0, maxChars)}…` : text,
  }))
  const earlier = messages.length - shown.length + messages_dropped
  return { messages: shown, ...(earlier === 0 ? {} : { earlier_messages: earlier }) }
}
