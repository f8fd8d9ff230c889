import { isBodilessStatus } from '../../shared/http.ts'
import type { HeaderList, RequestKind, TrafficAnswer } from '../../shared/traffic.ts'
import { isHook } from './own-frames.ts'

/** What the debugger's protocol says of requests, in the words of all sources. */

export interface CdpRequest {
  url: string
  method: string
  headers: Record<string, string>
  postData?: string
  hasPostData?: boolean
  /** The same as bytes, in pieces; a piece that is a file has none. */
  postDataEntries?: { bytes?: string }[]
}
export interface CdpAnswer {
  status: number
  statusText: string
  headers: Record<string, string>
  mimeType: string
  protocol?: string
  fromDiskCache?: boolean
  fromPrefetchCache?: boolean
  fromServiceWorker?: boolean
}
export interface Sent {
  requestId: string
  timestamp: number
  wallTime: number
  request: CdpRequest
  type?: string
  initiator: { type?: string; url?: string; stack?: Stack }
  redirectResponse?: CdpAnswer
  /** Whether the hop before went over the wire. */
  redirectHasExtraInfo?: boolean
  documentURL: string
  frameId?: string
}
export interface ExtraInfo {
  requestId: string
  headers: Record<string, string>
}
/** `canceled`: the page itself gave it up. */
export interface Failed {
  requestId: string
  timestamp: number
  errorText: string
  canceled?: boolean
  blockedReason?: string
  corsErrorStatus?: { corsError: string }
}
interface Stack {
  callFrames: { url: string }[]
  parent?: Stack
}

const KINDS: Readonly<Record<string, RequestKind>> = {
  Script: 'script',
  Stylesheet: 'style',
  Image: 'image',
  Font: 'font',
  Media: 'media',
  XHR: 'xhr',
  Fetch: 'fetch',
  EventSource: 'eventsource',
  WebSocket: 'websocket',
  Ping: 'beacon',
  CSPViolationReport: 'beacon',
  Preflight: 'preflight',
}

export interface SocketFrame {
  requestId: string
  timestamp: number
  response: { opcode: number; payloadData: string }
}

export function kindOf({ type = '', frameId, initiator }: Sent, mainFrame: string): RequestKind {
  if (initiator.type === 'preflight') return 'preflight'
  if (type === 'Document') return frameId === mainFrame ? 'document' : 'frame'
  return KINDS[type] ?? 'other'
}

export const withoutFragment = (url: string): string => url.split('#', 1)[0] ?? url

export function initiatorOf({ url, stack }: { url?: string; stack?: Stack }): string | null {
  for (let at = stack; at !== undefined; at = at.parent) {
    const script = at.callFrames.find(frame => frame.url !== '' && !isHook(frame.url))
    if (script !== undefined) return script.url
  }
  return url ?? null
}

/** Of what the rules of the web forbid the browser itself says no more than that it failed. */
export function failureOf({ errorText, blockedReason, corsErrorStatus }: Failed): string {
  const why = corsErrorStatus?.corsError ?? blockedReason
  return `${errorText || 'failed'}${why === undefined ? '' : ` (${why})`}`
}

/** Whether nothing comes after the headers. */
export const isBodiless = (method: string, { status, headers }: CdpAnswer): boolean =>
  method === 'HEAD' ||
  isBodilessStatus(status) ||
  listOf(headers).some(([name, value]) => name === 'content-length' && value === '0')

/** Several of one name are told as lines of one value. */
export const listOf = (headers: Record<string, string>): HeaderList =>
  Object.entries(headers).flatMap(([name, value]) =>
    value.split('\n').map((line): [string, string] => [name.toLowerCase(), line]),
  )

/**
 * What a page sends comes as text, in which bytes that are no UTF-8 are something else; those are taken as they are.
 * Null where they do not come with the event.
 */
export function sentBytes({ postData = '', postDataEntries = [] }: CdpRequest): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is the same in every reading
  if (/^[\u0000-\u007f]*$/.test(postData)) return null
  const pieces = postDataEntries.map(({ bytes }) => bytes)
  if (pieces.length === 0 || !pieces.every(piece => piece !== undefined)) return null
  return pieces.length === 1 ? (pieces[0] ?? null) : btoa(pieces.map(piece => atob(piece)).join(''))
}

export const answerOf = (answer: CdpAnswer): TrafficAnswer => ({
  status: answer.status,
  status_text: answer.statusText,
  mime: answer.mimeType,
  headers: listOf(answer.headers),
  protocol: answer.protocol ?? null,
  from:
    answer.fromServiceWorker === true
      ? 'service_worker'
      : answer.fromDiskCache === true || answer.fromPrefetchCache === true
        ? 'cache'
        : 'network',
})
