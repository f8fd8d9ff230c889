import type { HeaderList, TrafficUpdate } from '../../shared/traffic.ts'

type Side = 'request_headers' | 'response_headers'
type Headers = Pick<TrafficUpdate, 'key' | 'at' | Side>

interface Waiting {
  /** How many hops have theirs. */
  told: number
  lists: HeaderList[]
}
interface Hops extends Record<Side, Waiting> {
  /** Of the hops that go over the wire, in their order. */
  keys: string[]
}

const SIDES: readonly Side[] = ['request_headers', 'response_headers']
const MAX_REQUESTS = 5000

/**
 * Headers as they go over the wire, with their cookies. The browser's own process tells them, the page's process tells
 * all else of a request, and so either may come first; among themselves both come in the order of redirects.
 */
export class WireHeaders {
  readonly #requests = new Map<string, Hops>()
  readonly #tell: (headers: Headers) => void

  constructor(tell: (headers: Headers) => void) {
    this.#tell = tell
  }

  /** @param wasOnWire false where the hop before went nowhere: the browser redirected by itself */
  began(requestId: string, key: string, wasOnWire = true): void {
    const hops = this.#hopsOf(requestId)
    if (!wasOnWire) hops.keys.pop()
    hops.keys.push(key)
    this.#flush(hops)
  }

  heard(requestId: string, side: Side, headers: HeaderList): void {
    const hops = this.#hopsOf(requestId)
    hops[side].lists.push(headers)
    this.#flush(hops)
  }

  #hopsOf(requestId: string): Hops {
    const known = this.#requests.get(requestId)
    if (known !== undefined) return known
    const hops: Hops = {
      keys: [],
      request_headers: { told: 0, lists: [] },
      response_headers: { told: 0, lists: [] },
    }
    this.#requests.set(requestId, hops)
    if (this.#requests.size > MAX_REQUESTS) dropOldest(this.#requests)
    return hops
  }

  #flush(hops: Hops): void {
    for (const side of SIDES) {
      const waiting = hops[side]
      for (let key = hops.keys[waiting.told]; key !== undefined && waiting.lists.length > 0; ) {
        this.#tell({ key, at: Date.now(), [side]: waiting.lists.shift() })
        key = hops.keys[++waiting.told]
      }
    }
  }
}

export function dropOldest(map: Map<string, unknown>): void {
  const oldest = map.keys().next()
  if (oldest.done !== true) map.delete(oldest.value)
}
