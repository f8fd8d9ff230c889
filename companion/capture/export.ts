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

const headerOf = (headers: HeaderList, wanted: string): string =>
  headers.find(([name]) => name === wanted)?.[1] ?? ''

function postData(exchange: Exchange, bodyOf: BodyOf): object {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  if (body === null) return {}
  const mimeType = headerOf(exchange.request_headers, 'content-type')
  return { postData: { mimeType, text: Buffer.from(body).toString('utf8') } }
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

function curlOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  const parts = [`curl ${quoted(exchange.url)}`]
  const implied = body === null ? 'GET' : 'POST'
  if (exchange.method !== implied) parts.push(`-X ${quoted(exchange.method)}`)
  for (const [name, value] of sendable(exchange.request_headers))
    parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== null) parts.push(`--data-raw ${quoted(Buffer.from(body).toString('utf8'))}`)
  return parts.join(' \\\n  ')
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function fetchOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  const headers = sendable(exchange.request_headers).filter(([name]) => !FORBIDDEN.test(name))
  const init = {
    method: exchange.method,
    headers: Object.fromEntries(headers),
    ...(body === null ? {} : { body: Buffer.from(body).toString('utf8') }),
    credentials: 'include',
  }
  return `await fetch(${JSON.stringify(exchange.url)}, ${JSON.stringify(init, null, 2)})`
}
