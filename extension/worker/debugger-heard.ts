import { withoutFragment } from './debugger-requests.ts'

/** A request as the browser and the debugger both tell of it. `at` is epoch ms. */
export interface Asked {
  method: string
  url: string
  at: number
}

/** One that is under way, with the key by which it is told of. */
export type Open = Asked & { key: string }

const MAX_ENDED = 1000
/** The two see the same request at about the same time. */
const SAME_WITHIN_MS = 2000

/** Which requests the debugger has told of, so that it is known which ones it leaves out. */
export class Heard {
  readonly #open: () => Iterable<Open>
  /** The newest last; each answers for one request. */
  readonly #ended: Asked[] = []

  constructor(open: () => Iterable<Open>) {
    this.#open = open
  }

  ended({ method, url, at }: Asked): void {
    this.#ended.push({ method, url, at })
    if (this.#ended.length > MAX_ENDED) this.#ended.shift()
  }

  /** Of a request that has ended for the browser: whether it has here, or under which key it has not. */
  of(asked: Asked): 'ended' | 'unknown' | { key: string } {
    const found = this.#ended.findIndex(each => isSame(each, asked))
    if (found >= 0) {
      this.#ended.splice(found, 1)
      return 'ended'
    }
    for (const each of this.#open()) if (isSame(each, asked)) return { key: each.key }
    return 'unknown'
  }
}

const isSame = (one: Asked, other: Asked): boolean =>
  Math.abs(one.at - other.at) < SAME_WITHIN_MS &&
  one.method === other.method &&
  withoutFragment(one.url) === withoutFragment(other.url)
