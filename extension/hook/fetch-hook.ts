import type { CaptureEntry } from '../../shared/values.ts'
import { BODY_LIMIT, bodyText, headersOf, isText, newEntry, type Report, readable } from './entry.ts'
import type { Mask } from './mask.ts'
import { getter, natives } from './natives.ts'

const request = {
  url: getter(Request.prototype, 'url'),
  method: getter(Request.prototype, 'method'),
  headers: getter(Request.prototype, 'headers'),
  body: getter(Request.prototype, 'body'),
  bodyUsed: getter(Request.prototype, 'bodyUsed'),
}
const response = {
  status: getter(Response.prototype, 'status'),
  headers: getter(Response.prototype, 'headers'),
  body: getter(Response.prototype, 'body'),
}

export function hookFetch(mask: Mask, report: Report): void {
  mask.replace(window, 'fetch', {
    apply(native, self, args) {
      const entry = mask.active ? begin(args[0], args[1]) : null
      const answer = Reflect.apply(native, self, args) as Promise<Response>
      if (entry !== null) void observe(entry, answer, report)
      return answer
    },
  })
}

interface Begun {
  entry: CaptureEntry
  body: Promise<string | null>
}

/** Looks at the arguments before the native fetch uses them up; null where there is nothing to tell. */
function begin(input: unknown, init: unknown): Begun | null {
  try {
    const options = (typeof init === 'object' && init !== null ? init : {}) as RequestInit
    const source = input instanceof natives.Request ? input : null
    const method = String(options.method ?? (source === null ? 'GET' : request.method(source))).toUpperCase()
    const entry = newEntry('fetch', method, source === null ? String(input) : request.url(source))
    if (options.headers !== undefined) {
      // Some can be gone through once only, and that is for the page: the browser tells of its headers itself.
      if (isReadable(options.headers)) entry.request_headers = headersOf(new natives.Headers(options.headers))
    } else if (source !== null) entry.request_headers = headersOf(request.headers(source))
    return { entry, body: requestBody(source, options) }
  } catch (error) {
    // Odd arguments (getters that throw, headers that are none): the native fetch judges them.
    natives.warn('a request was not understood', error)
    return null
  }
}

const isReadable = (headers: HeadersInit): boolean =>
  headers instanceof natives.Headers || Array.isArray(headers) || !(Symbol.iterator in headers)

function requestBody(source: Request | null, options: RequestInit): Promise<string | null> {
  if (options.body !== undefined && options.body !== null) return bodyText(options.body)
  if (source === null || request.bodyUsed(source) || request.body(source) === null)
    return Promise.resolve(null)
  return natives.requestText(natives.cloneRequest(source))
}

async function observe({ entry, body }: Begun, answer: Promise<Response>, report: Report): Promise<void> {
  try {
    // First of all listeners on this promise, so that the body cannot have been used yet.
    const copy = await answer.then(got => natives.cloneResponse(got))
    entry.status = response.status(copy)
    entry.response_headers = headersOf(response.headers(copy))
    await readInto(entry, copy)
  } catch (error) {
    // The request failed, was aborted, or its stream broke off: reported as far as it came.
    natives.warn('a response was not read to its end', error)
  }
  entry.request_body = await body.catch(() => null)
  entry.finished_at = natives.now()
  report(entry)
}

async function readInto(entry: CaptureEntry, copy: Response): Promise<void> {
  const stream = response.body(copy)
  const type = entry.response_headers['content-type'] ?? ''
  if (stream === null) return
  const reader = natives.getReader(stream)
  // An endless stream would keep its other branch in memory for ever.
  if (!isText(type) || type.startsWith('text/event-stream')) return void natives.cancel(reader)
  const decoder = new natives.TextDecoder(charsetOf(type))
  let text = ''
  for (;;) {
    const { done, value } = await natives.read(reader)
    text += decoder.decode(value, { stream: !done })
    if (text.length > BODY_LIMIT) {
      entry.truncated = true
      text = text.slice(0, BODY_LIMIT)
      void natives.cancel(reader)
      break
    }
    if (done) break
  }
  entry.response_body = readable(text, type)
}

function charsetOf(contentType: string): string {
  const label = /charset=["']?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new natives.TextDecoder(label).encoding
  } catch (error) {
    natives.warn('unknown charset', error)
    return 'utf-8'
  }
}
