import type { BodyPiece, TrafficUpdate } from '../../shared/traffic.ts'
import type { Send } from './debug-attachment.ts'

interface Asked {
  key: string
  requestId: string
  send: Send
  session: string | null
}

/** Bodies that may be on their way to the companion at once, and how many bytes of them. */
const AT_ONCE = 6
const BYTES_AT_ONCE = 48 * 1024 * 1024
/** What waits its turn stays in the browser, which may drop it; so many at most. */
const MAX_WAITING = 5000

/** Fetches bodies from the debugger as soon as they are whole: a browser forgets them with the document. */
export class BodyReader {
  readonly #max: number
  readonly #tell: (update: TrafficUpdate) => void
  readonly #waiting: { bytes: number; work: () => Promise<void> }[] = []
  #running = 0
  #bytes = 0

  /** @param max bytes of one body */
  constructor(max: number, tell: (update: TrafficUpdate) => void) {
    this.#max = max
    this.#tell = tell
  }

  /** Tells the end with the body, so that what has ended is whole. */
  read(asked: Asked & { bytes: number; end: TrafficUpdate }): void {
    const { bytes, end } = asked
    if (bytes > this.#max) {
      this.#tell({ ...end, response_body: { text: '', base64: false, cut: true } })
      return
    }
    const isQueued = this.#queue(bytes, async () => {
      const body = await ask<{ body: string; base64Encoded: boolean }>(asked, 'Network.getResponseBody')
      const isNone = body === null || (body.body === '' && bytes === 0)
      this.#tell(
        isNone ? end : { ...end, response_body: { text: body.body, base64: body.base64Encoded, cut: false } },
      )
    })
    if (!isQueued) this.#tell(end)
  }

  readSent(asked: Asked): void {
    this.#queue(0, async () => {
      const body = await ask<{ postData: string; base64Encoded?: boolean }>(
        asked,
        'Network.getRequestPostData',
      )
      if (body === null) return
      const { postData: text, base64Encoded: base64 = false } = body
      const cut = text.length > this.#max
      this.#told(asked.key, 'request_body', { text: cut ? '' : text, base64, cut })
    })
  }

  /**
   * From now on each piece that comes is in its event; what came before is told here. `isUnderWay` is told that it
   * works, and says whether the answer has not ended meanwhile: then it is read whole.
   */
  async stream(asked: Asked, isUnderWay: () => boolean): Promise<void> {
    const before = await ask<{ bufferedData: string }>(asked, 'Network.streamResourceContent')
    if (before === null || !isUnderWay() || before.bufferedData === '') return
    const piece = { text: before.bufferedData, base64: true, cut: false, more: true }
    this.#told(asked.key, 'response_body', piece)
  }

  #told(key: string, part: 'request_body' | 'response_body', body: BodyPiece): void {
    this.#tell({ key, at: Date.now(), [part]: body })
  }

  /** False when too much waits already. */
  #queue(bytes: number, work: () => Promise<void>): boolean {
    if (this.#waiting.length >= MAX_WAITING) return false
    this.#waiting.push({ bytes, work })
    this.#next()
    return true
  }

  #next(): void {
    const first = this.#waiting[0]
    if (first === undefined || this.#running >= AT_ONCE) return
    if (this.#running > 0 && this.#bytes + first.bytes > BYTES_AT_ONCE) return
    this.#waiting.shift()
    this.#running++
    this.#bytes += first.bytes
    void first.work().finally(() => {
      this.#running--
      this.#bytes -= first.bytes
      this.#next()
    })
    this.#next()
  }
}

/** Null where there is none: an empty answer, a document that went away, a body that was dropped. */
async function ask<R extends object>(asked: Asked, method: string): Promise<R | null> {
  const { send, requestId, session } = asked
  try {
    return await send<R>(method, { requestId }, session ?? undefined)
  } catch (error) {
    console.debug(`${method} of ${asked.key}`, error)
    return null
  }
}
