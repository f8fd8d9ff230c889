import { headerOf } from '../../shared/http.ts'
import type { HeaderList } from '../../shared/traffic.ts'
import { harLog, queryOf } from '../kernel/har.ts'
import type { BodyPart, Exchange } from '../ports/traffic.ts'

type BodyOf = (exchange: Exchange, part: BodyPart) => Uint8Array | null

/** Requests as other programs take them. Where a secret was, there stands that one was. */
export function exported(
  exchanges: readonly Exchange[],
  format: 'har' | 'curl' | 'fetch',
  bodyOf: BodyOf,
  version: string,
): string {
  if (format === 'har') return harText(exchanges, bodyOf, version)
  const write = format === 'curl' ? curlOf : fetchOf
  return exchanges.map(exchange => write(exchange, bodyOf)).join('\n\n')
}

function harText(exchanges: readonly Exchange[], bodyOf: BodyOf, version: string): string {
  const documents = exchanges.filter(({ kind }) => kind === 'document')
  const pages = documents.map(document => ({
    startedDateTime: new Date(document.started_at).toISOString(),
    id: document.id,
    title: document.url,
    pageTimings: { onContentLoad: -1, onLoad: -1 },
  }))
  const pageOf = (exchange: Exchange) =>
    documents.findLast(({ number, tab }) => number <= exchange.number && tab === exchange.tab)?.id
  const entries = exchanges.map(exchange => harEntry(exchange, pageOf(exchange), bodyOf))
  return JSON.stringify(harLog(version, { pages, entries }))
}

function harEntry(exchange: Exchange, pageref: string | undefined, bodyOf: BodyOf): object {
  const { started_at, answered_at, ended_at, url, protocol } = exchange
  const end = ended_at ?? answered_at ?? started_at
  const wait = Math.max(0, (answered_at ?? end) - started_at)
  const receive = Math.max(0, end - (answered_at ?? end))
  return {
    ...(pageref === undefined ? {} : { pageref }),
    startedDateTime: new Date(started_at).toISOString(),
    time: wait + receive,
    request: {
      method: exchange.method,
      url,
      httpVersion: protocol ?? 'unknown',
      cookies: [],
      headers: named(exchange.request_headers),
      queryString: queryOf(url),
      ...postData(exchange, bodyOf),
      headersSize: -1,
      bodySize: exchange.request_body?.bytes ?? 0,
    },
    response: {
      status: exchange.status ?? 0,
      statusText: exchange.status_text,
      httpVersion: protocol ?? 'unknown',
      cookies: [],
      headers: named(exchange.response_headers),
      content: contentOf(exchange, bodyOf),
      redirectURL: headerOf(exchange.response_headers, 'location'),
      headersSize: -1,
      bodySize: -1,
      ...(exchange.error === null ? {} : { _error: exchange.error }),
    },
    cache: {},
    timings: { send: 0, wait, receive },
    _resourceType: exchange.kind,
    ...(exchange.initiator === null ? {} : { _initiator: { type: 'other', url: exchange.initiator } }),
    ...(exchange.messages.length === 0 ? {} : { _webSocketMessages: exchange.messages.map(harMessage) }),
  }
}

/** As Chromium's own tools write them. */
const harMessage = ({ direction, at, text, binary }: Exchange['messages'][number]): object => ({
  type: direction === 'sent' ? 'send' : 'receive',
  time: at / 1000,
  opcode: binary ? 2 : 1,
  data: text,
})

const named = (headers: HeaderList): object[] => headers.map(([name, value]) => ({ name, value }))

function postData(exchange: Exchange, bodyOf: BodyOf): object {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  if (body === null) return {}
  const mimeType = headerOf(exchange.request_headers, 'content-type')
  if (exchange.request_body?.binary !== true)
    return { postData: { mimeType, text: Buffer.from(body).toString('utf8') } }
  return { postData: { mimeType, text: Buffer.from(body).toString('base64'), _encoding: 'base64' } }
}

function contentOf(exchange: Exchange, bodyOf: BodyOf): object {
  const mimeType = exchange.mime || 'x-unknown'
  const body = exchange.response_body === null ? null : bodyOf(exchange, 'response_body')
  const size = body?.byteLength ?? exchange.bytes ?? -1
  if (body === null) return { size, mimeType }
  const isBinary = exchange.response_body?.binary === true
  const text = Buffer.from(body).toString(isBinary ? 'base64' : 'utf8')
  return { size, mimeType, text, ...(isBinary ? { encoding: 'base64' } : {}) }
}

/** Each program sends these by itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'accept-encoding'])
/** A script may not set these. */
const FORBIDDEN =
  /^(sec-|proxy-|cookie$|origin$|referer$|user-agent$|date$|dnt$|te$|upgrade|via$|keep-alive$)/

const sendable = (headers: HeaderList): HeaderList =>
  headers.filter(([name]) => !name.startsWith(':') && !OWN.has(name))

/** Who runs it would not see that the body is missing. Empty where it is not. */
function missing(exchange: Exchange, body: Uint8Array | null | undefined, mark: '#' | '//'): string {
  const { source, request_body: kept, request_headers } = exchange
  const wasSent = kept !== null || (source !== 'debugger' && headerOf(request_headers, 'content-type') !== '')
  const isWhole = body != null && kept?.cut !== true
  return wasSent && !isWhole ? `${mark} The body that was sent is not in here: it was not kept.\n` : ''
}

function curlOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = sentBody(exchange, bodyOf)
  const parts = [`${missing(exchange, body?.bytes, '#')}curl ${quoted(exchange.url)}`]
  // Else it would take them for lists of addresses.
  if (/[[\]{}]/.test(exchange.url)) parts.push('--globoff')
  const implied = body === null ? 'GET' : 'POST'
  // It waits for the body of an answer that has none, unless it is told so.
  if (exchange.method === 'HEAD') parts.push('--head')
  else if (exchange.method !== implied) parts.push(`-X ${quoted(exchange.method)}`)
  const headers = sendable(exchange.request_headers)
  for (const [name, value] of headers)
    parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`)
  // Many servers refuse a request that may have a body and does not say that it has none.
  if (body === null && headerOf(exchange.request_headers, 'content-length') === '0')
    parts.push("-H 'content-length: 0'")
  if (body === null) return parts.join(JOINED)
  // It would name one of its own.
  if (headerOf(headers, 'content-type') === '') parts.push("-H 'content-type:'")
  if (body.text !== null) return [...parts, `--data-raw ${quoted(body.text)}`].join(JOINED)
  return `printf %s '${body.bytes.toString('base64')}' | base64 -d | ${[...parts, '--data-binary @-'].join(JOINED)}`
}

const JOINED = ' \\\n  '

/** A program takes no longer argument on Linux: 128 KiB, with some room. Bytes. */
const MAX_ARGUMENT = 120_000

/** Text that a command line can hold; else null. */
function sentBody(exchange: Exchange, bodyOf: BodyOf): { bytes: Buffer; text: string | null } | null {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  if (body === null) return null
  const bytes = Buffer.from(body)
  const isText =
    exchange.request_body?.binary !== true && !bytes.includes(0) && bytes.byteLength < MAX_ARGUMENT
  return { bytes, text: isText ? bytes.toString('utf8') : null }
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function fetchOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = sentBody(exchange, bodyOf)
  const headers = sendable(exchange.request_headers).filter(([name]) => !FORBIDDEN.test(name))
  const isTyped = headers.some(([name]) => name === 'content-type')
  const isInlined = body?.text != null && isTyped
  const init = {
    method: exchange.method,
    headers: Object.fromEntries(headers),
    ...(isInlined ? { body: body.text } : {}),
    credentials: 'include',
  }
  const told = JSON.stringify(init, null, 2)
  const given = body === null || isInlined ? told : `{ ...${told}, body: ${bytesOf(body)} }`
  return `${missing(exchange, body?.bytes, '//')}await fetch(${JSON.stringify(exchange.url)}, ${given})`
}

/** Bytes, to which no type of their own is given, as it would be to a text. */
const bytesOf = ({ bytes, text }: { bytes: Buffer; text: string | null }): string =>
  text === null
    ? `Uint8Array.from(atob('${bytes.toString('base64')}'), each => each.charCodeAt(0))`
    : `new TextEncoder().encode(${JSON.stringify(text)})`
