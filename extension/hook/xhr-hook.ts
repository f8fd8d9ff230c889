import type { CaptureEntry } from '../../shared/values.ts'
import { bodyText, cut, isText, newEntry, type Report, utf8 } from './entry.ts'
import type { Mask } from './mask.ts'
import { getter, natives, uncurry } from './natives.ts'

const proto = XMLHttpRequest.prototype
const xhr = {
  status: getter(proto, 'status'),
  responseType: getter(proto, 'responseType'),
  response: getter(proto, 'response') as (self: XMLHttpRequest) => unknown,
  allHeaders: uncurry(proto.getAllResponseHeaders),
}
const mapGet = uncurry(WeakMap.prototype.get)
const mapSet = uncurry(WeakMap.prototype.set)

export function hookXhr(mask: Mask, report: Report): void {
  const open = new WeakMap<object, CaptureEntry>()
  const entryOf = (self: unknown): CaptureEntry | undefined =>
    // Only entries are ever put in.
    mask.active
      ? (mapGet(open as WeakMap<object, unknown>, self as object) as CaptureEntry | undefined)
      : undefined
  mask.replace(proto, 'open', {
    apply(native, self, args) {
      // The native function first: it throws on what is no request.
      const result = Reflect.apply(native, self, args)
      const entry = newEntry('xhr', String(args[0]).toUpperCase(), String(args[1]))
      if (mask.active) mapSet(open as WeakMap<object, unknown>, self as object, entry)
      return result
    },
  })
  mask.replace(proto, 'setRequestHeader', {
    apply(native, self, args) {
      const result = Reflect.apply(native, self, args)
      const entry = entryOf(self)
      if (entry !== undefined) entry.request_headers[String(args[0]).toLowerCase()] = String(args[1])
      return result
    },
  })
  mask.replace(proto, 'send', {
    apply(native, self, args) {
      const entry = entryOf(self)
      if (entry !== undefined) watch(self as XMLHttpRequest, entry, args[0], report)
      return Reflect.apply(native, self, args)
    },
  })
}

function watch(self: XMLHttpRequest, entry: CaptureEntry, body: unknown, report: Report): void {
  entry.started_at = natives.now()
  const sent = bodyText(body)
  const finish = async (): Promise<void> => {
    // Everything of the request object at once: the page may use it again.
    entry.finished_at = natives.now()
    entry.status = xhr.status(self)
    entry.response_headers = parseHeaders(xhr.allHeaders(self))
    const text = responseText(self, entry.response_headers['content-type'] ?? '')
    if (text !== null) {
      const kept = cut(text)
      entry.response_body = kept.text
      entry.truncated = kept.truncated
    }
    entry.request_body = await sent
    report(entry)
  }
  natives.addEventListener(self, 'loadend', () => void finish(), { once: true })
}

function responseText(self: XMLHttpRequest, contentType: string): string | null {
  const value = xhr.response(self)
  switch (xhr.responseType(self)) {
    case '':
    case 'text':
      return typeof value === 'string' ? value : null
    case 'json':
      return natives.stringify(value)
    case 'arraybuffer':
      return value instanceof ArrayBuffer && isText(contentType) ? utf8(value) : null
    default:
      return null
  }
}

function parseHeaders(raw: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of raw.split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) found[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return found
}
