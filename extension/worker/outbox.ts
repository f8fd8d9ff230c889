import type { ConsoleLine, TrafficUpdate } from '../../shared/traffic.ts'
import type { WireEventData } from '../../shared/wire.ts'

/** Sends one event; false when there is nobody to send it to. */
export type Emit = <E extends 'traffic.updates' | 'console.lines'>(name: E, data: WireEventData<E>) => boolean

/** So long may what was seen wait for more, and so much of it. */
const WAIT_MS = 25
const SEND_AT_UPDATES = 500
const SEND_AT_CHARS = 1024 * 1024
/** What is kept while the link is away. */
const KEPT_UPDATES = 5000
const KEPT_CHARS = 8 * 1024 * 1024

/** What was seen of one session and has not been sent yet: in batches, and bounded while the link is away. */
export class Outbox {
  readonly #session: string
  readonly #emit: Emit
  #updates: TrafficUpdate[] = []
  #lines: ConsoleLine[] = []
  #chars = 0
  #lost = 0
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(session: string, emit: Emit) {
    this.#session = session
    this.#emit = emit
  }

  put(update: TrafficUpdate): void {
    this.#updates.push(update)
    this.#chars += charsOf(update)
    this.#soon()
  }

  putLine(line: ConsoleLine): void {
    this.#lines.push(line)
    this.#chars += line.text.length + line.stack.length
    this.#soon()
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const isAllSent = this.#sendUpdates() && this.#sendLines()
    if (isAllSent) this.#chars = 0
    else this.#bound()
  }

  #sendUpdates(): boolean {
    if (this.#updates.length === 0 && this.#lost === 0) return true
    const data = { session: this.#session, updates: this.#updates, lost: this.#lost }
    if (!this.#emit('traffic.updates', data)) return false
    this.#updates = []
    this.#lost = 0
    return true
  }

  #sendLines(): boolean {
    if (this.#lines.length === 0) return true
    if (!this.#emit('console.lines', { session: this.#session, lines: this.#lines })) return false
    this.#lines = []
    return true
  }

  #soon(): void {
    if (this.#updates.length + this.#lines.length >= SEND_AT_UPDATES || this.#chars >= SEND_AT_CHARS)
      this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS)
  }

  /** The newest stay. */
  #bound(): void {
    while (this.#updates.length > KEPT_UPDATES || this.#chars > KEPT_CHARS) {
      const oldest = this.#updates.shift()
      if (oldest === undefined) break
      this.#chars -= charsOf(oldest)
      this.#lost++
    }
    if (this.#lines.length > KEPT_UPDATES) this.#lines = this.#lines.slice(-KEPT_UPDATES)
  }
}

/** Of what may be long in it; the rest is a few hundred. */
const charsOf = ({ request_body, response_body, message, begin }: TrafficUpdate): number =>
  300 +
  (begin?.url.length ?? 0) +
  (request_body?.text.length ?? 0) +
  (response_body?.text.length ?? 0) +
  (message?.text.length ?? 0)
