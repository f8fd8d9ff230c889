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

function curlOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = sentBody(exchange, bodyOf)
  const parts = [`curl ${quoted(exchange.url)}`]
  // Else it would take them for lists of addresses.
  if (/[[\]{}]/.test(exchange.url)) parts.push('--globoff')
  const implied = body === null ? 'GET' : 'POST'
  // It waits for the body of an answer that has none, unless it is told so.
  if (exchange.method === 'HEAD') parts.push('--head')
  else if (exchange.method !== implied) parts.push(`-X ${quoted(exchange.method)}`)
  const headers = sendable(exchange.request_headers)
  for (const [name, value] of headers)
    parts.push(`-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (body === null) return parts.join(JOINED)
  // It would name one of its own.
  if (headerOf(headers, 'content-type') === '') parts.push("-H 'content-type:'")
  if (body.text !== null) return [...parts, `--data-raw ${quoted(body.text)}`].join(JOINED)
  return `printf %s '${body.bytes.toString('base64')}' | base64 -d | ${[...parts, '--data-binary @-'].join(JOINED)}`
}

const JOINED = ' \\\n  '

/** Text that a command line can hold; else null. */
function sentBody(exchange: Exchange, bodyOf: BodyOf): { bytes: Buffer; text: string | null } | null {
  const body = exchange.request_body === null ? null : bodyOf(exchange, 'request_body')
  if (body === null) return null
  const bytes = Buffer.from(body)
  const isText = exchange.request_body?.binary !== true && !bytes.includes(0)
  return { bytes, text: isText ? bytes.toString('utf8') : null }
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function fetchOf(exchange: Exchange, bodyOf: BodyOf): string {
  const body = sentBody(exchange, bodyOf)
  const headers = sendable(exchange.request_headers).filter(([name]) => !FORBIDDEN.test(name))
  const init = {
    method: exchange.method,
    headers: Object.fromEntries(headers),
    ...(body?.text == null ? {} : { body: body.text }),
    credentials: 'include',
  }
  const told = JSON.stringify(init, null, 2)
  if (body === null || body.text !== null) return `await fetch(${JSON.stringify(exchange.url)}, ${told})`
  const bytes = `Uint8Array.from(atob('${body.bytes.toString('base64')}'), each => each.charCodeAt(0))`
  return `await fetch(${JSON.stringify(exchange.url)}, { ...${told}, body: ${bytes} })`
}
