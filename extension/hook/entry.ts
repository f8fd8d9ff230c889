import type { CaptureEntry } from '../../shared/values.ts'
import { natives } from './natives.ts'

/** A body longer than this is cut. Characters. */
export const BODY_LIMIT = 5 * 1024 * 1024

export type Report = (entry: CaptureEntry) => void

let count = 0
const prefix = Math.random().toString(36).slice(2, 10)

/** A new entry of this document, to be filled in as the request goes on. */
export function newEntry(kind: CaptureEntry['kind'], method: string, url: string): CaptureEntry {
  return {
    id: `${prefix}-${++count}`,
    kind,
    method,
    url: absolute(url),
    status: null,
    request_headers: {},
    request_body: null,
    response_headers: {},
    response_body: null,
    truncated: false,
    started_at: natives.now(),
    finished_at: null,
    frame_url: location.href,
  }
}

export function absolute(url: string): string {
  try {
    return new natives.URL(url, document.baseURI).href
  } catch (error) {
    // TypeError: the page gave no address at all; it is told so by the native function.
    natives.warn('not an address', error)
    return url
  }
}

export function cut(text: string): { text: string; truncated: boolean } {
  return text.length <= BODY_LIMIT
    ? { text, truncated: false }
    : { text: text.slice(0, BODY_LIMIT), truncated: true }
}

export function headersOf(headers: Headers): Record<string, string> {
  const found: Record<string, string> = {}
  natives.eachHeader(headers, (value, name) => {
    found[name.toLowerCase()] = value
  })
  return found
}

/** What a page hands over as a request body, as text; null where it has none or is a stream. */
export async function bodyText(body: unknown): Promise<string | null> {
  if (typeof body === 'string') return body
  if (body instanceof URLSearchParams) return body.toString()
  if (body instanceof FormData) return formText(body)
  if (body instanceof Blob)
    return isText(body.type) ? readable(await natives.blobText(body), body.type) : null
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return utf8(body)
  return null
}

/** As in a query; a file is told by its name alone. */
function formText(form: FormData): string {
  const pairs = [...form.entries()].map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : `file:${value.name}`,
  ])
  return new URLSearchParams(pairs).toString()
}

/** Null for what was taken for text because no type says otherwise, and is none. */
export const readable = (text: string, type: string): string | null =>
  type === '' && text.includes('\ufffd') ? null : text

/** Null when the bytes are no UTF-8. */
export function utf8(bytes: ArrayBuffer | ArrayBufferView): string | null {
  try {
    return new natives.TextDecoder('utf-8', { fatal: true }).decode(bytes as BufferSource)
  } catch (error) {
    natives.warn('a binary body is left out', error)
    return null
  }
}

const TEXT_TYPES =
  /^(text\/|application\/(json|javascript|xml|graphql|x-www-form-urlencoded|x-ndjson)|[^;]*\+(json|xml))/i

/** A type that is not told counts as text: many JSON endpoints tell none. */
export const isText = (contentType: string): boolean => contentType === '' || TEXT_TYPES.test(contentType)
