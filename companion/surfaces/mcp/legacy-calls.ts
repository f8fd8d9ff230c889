type RequestId = string | number

/**
 * Calls of 2025-era clients over HTTP, so that a client can cancel one: in that era the cancellation comes as a
 * request of its own, and hanging up means nothing. The session id, given at `initialize`, only tells clients
 * apart, whose request ids are all alike; there is no session behind it, and an id of long ago does no harm.
 */
export class LegacyCalls {
  readonly #calls = new Map<string, AbortController>()

  /** @returns a signal that aborts with `signal` or by `cancel`; `release` it when the call is done */
  open(
    session: string | null,
    id: RequestId,
    signal: AbortSignal,
  ): { signal: AbortSignal; release: () => void } {
    if (session === null) return { signal, release: () => undefined }
    const key = keyOf(session, id)
    const controller = new AbortController()
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    this.#calls.set(key, controller)
    const release = () => {
      signal.removeEventListener('abort', abort)
      if (this.#calls.get(key) === controller) this.#calls.delete(key)
    }
    return { signal: controller.signal, release }
  }

  cancel(session: string | null, id: RequestId | undefined): void {
    if (session !== null && id !== undefined) this.#calls.get(keyOf(session, id))?.abort()
  }
}

/** The ids 1 and "1" are two. */
const keyOf = (session: string, id: RequestId): string => JSON.stringify([session, id])
