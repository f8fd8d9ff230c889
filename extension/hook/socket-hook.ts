import type { CaptureEntry } from '../../shared/values.ts'
import { bodyText, cut, newEntry, type Report } from './entry.ts'
import type { Mask } from './mask.ts'
import { getter, natives } from './natives.ts'

const socketUrl = getter(WebSocket.prototype, 'url')
const sourceUrl = getter(EventSource.prototype, 'url')

/** One message, as an entry of its own: `SEND` carries request_body, `RECEIVE` response_body. */
async function message(
  kind: CaptureEntry['kind'],
  direction: 'SEND' | 'RECEIVE',
  url: string,
  data: unknown,
): Promise<CaptureEntry> {
  const entry = newEntry(kind, direction, url)
  // Of bytes it is told how many they were: an empty text would say that there were none.
  const kept = cut((await bodyText(data)) ?? `[bytes ${sizeOf(data)}]`)
  entry.truncated = kept.truncated
  if (direction === 'SEND') entry.request_body = kept.text
  else entry.response_body = kept.text
  entry.finished_at = natives.now()
  return entry
}

const sizeOf = (data: unknown): number =>
  data instanceof Blob
    ? data.size
    : data instanceof ArrayBuffer || ArrayBuffer.isView(data)
      ? data.byteLength
      : 0

export function hookSockets(mask: Mask, report: Report): void {
  const send = async (entry: Promise<CaptureEntry>): Promise<void> => report(await entry)
  mask.replace(WebSocket.prototype, 'send', {
    apply(native, self, args) {
      const result = Reflect.apply(native, self, args)
      if (mask.active) void send(message('websocket', 'SEND', socketUrl(self as WebSocket), args[0]))
      return result
    },
  })
  hookConstructor(mask, 'WebSocket', socket => {
    natives.addEventListener(socket, 'message', event => {
      if (mask.active) void send(message('websocket', 'RECEIVE', socketUrl(socket), dataOf(event)))
    })
  })
  let listening = false
  hookConstructor(mask, 'EventSource', source => {
    // Only pages that use event sources pay for a look at every addEventListener.
    if (!listening) watchListeners(mask)
    listening = true
    const seen = (event: Event): void => {
      if (mask.active) void send(message('eventsource', 'RECEIVE', sourceUrl(source), dataOf(event)))
    }
    natives.addEventListener(source, 'message', seen)
    namedEvents.set(source, { types: new Set(['message', 'open', 'error']), seen })
  })
}

/** An EventSource's own event types are known only from who listens to them. */
const namedEvents = new WeakMap<object, { types: Set<string>; seen: (event: Event) => void }>()

function watchListeners(mask: Mask): void {
  mask.replace(EventTarget.prototype, 'addEventListener', {
    apply(native, self, args) {
      const named = mask.active ? namedEvents.get(self as object) : undefined
      const type = String(args[0])
      if (named !== undefined && !named.types.has(type)) {
        named.types.add(type)
        natives.addEventListener(self as EventTarget, type, named.seen)
      }
      return Reflect.apply(native, self, args)
    },
  })
}

const dataOf = (event: Event): unknown => (event instanceof MessageEvent ? event.data : null)

function hookConstructor<K extends 'WebSocket' | 'EventSource'>(
  mask: Mask,
  name: K,
  made: (instance: InstanceType<(typeof window)[K]>) => void,
): void {
  const native = window[name]
  mask.replace(window as unknown as Record<K, (...args: never[]) => unknown>, name, {
    construct(target, args, newTarget) {
      const instance = Reflect.construct(target, args, newTarget) as InstanceType<(typeof window)[K]>
      if (mask.active) made(instance)
      return instance
    },
  })
  mask.alias(native.prototype, 'constructor', native, window[name])
}
