import type { Frame } from '../../shared/frame.ts'
import { encodePayload, wrapPayload } from './payload.ts'
import type { PayloadStream } from './payload-stream.ts'

export interface RelayEnd {
  side: 'browser' | 'companion'
  /** What was wrong with the stream, for the log; null when it just ended. */
  fault: string | null
}

/** A ping is this small; larger payloads are passed on unread. */
const PING_BYTES = 160

/**
 * Passes payloads both ways as they are, at the pace of the slower side, and answers the pings that are for
 * the host. The browser's side is heard from the start; what it says waits until there is a companion.
 */
export class Relay {
  readonly #browser: PayloadStream
  readonly #onEnd: (end: RelayEnd) => void
  readonly #early: Buffer[] = []
  #companion: PayloadStream | null = null

  constructor(browser: PayloadStream, onEnd: (end: RelayEnd) => void) {
    this.#browser = browser
    this.#onEnd = onEnd
    browser.listen({
      payload: payload => this.#fromBrowser(payload),
      end: fault => onEnd({ side: 'browser', fault: fault?.message ?? null }),
    })
  }

  connect(companion: PayloadStream): void {
    this.#companion = companion
    for (const payload of this.#early.splice(0)) this.#pass(payload, this.#browser, companion)
    companion.listen({
      payload: payload => {
        if (!answered(payload, companion)) this.#pass(payload, companion, this.#browser)
      },
      end: fault => this.#onEnd({ side: 'companion', fault: fault?.message ?? null }),
    })
  }

  tellBrowser(frame: Frame): void {
    this.#browser.send(encodePayload(JSON.stringify(frame)))
  }

  /** Resolves when both sides have taken what was passed on to them, or are gone. */
  async flush(): Promise<void> {
    await Promise.all([this.#browser.flush(), this.#companion?.flush()])
  }

  #fromBrowser(payload: Buffer): void {
    if (answered(payload, this.#browser)) return
    if (this.#companion === null) this.#early.push(payload)
    else this.#pass(payload, this.#browser, this.#companion)
  }

  #pass(payload: Buffer, from: PayloadStream, to: PayloadStream): void {
    if (to.send(wrapPayload(payload))) return
    from.pause()
    to.onDrain = () => from.resume()
  }
}

/** True when it was a ping for the host, which has now been answered. */
function answered(payload: Buffer, to: PayloadStream): boolean {
  if (payload.length > PING_BYTES) return false
  const ping = asHostPing(payload)
  if (ping === null) return false
  const pong: Frame = { k: 'pong', id: ping }
  to.send(encodePayload(JSON.stringify(pong)))
  return true
}

/** The id of a ping for the host; null for everything else, which the far side may judge. */
function asHostPing(payload: Buffer): string | null {
  try {
    const frame: Partial<Extract<Frame, { k: 'ping' }>> = JSON.parse(payload.toString())
    return frame?.k === 'ping' && frame.to === 'host' && typeof frame.id === 'string' ? frame.id : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
