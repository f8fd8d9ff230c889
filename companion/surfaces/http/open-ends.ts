/** Calls and streams that are still open: what must come to its end before the surface can close. */
export class OpenEnds {
  readonly #ends = new Set<() => void>()

  /** A call that ends early when its client goes away or the surface closes. `release` it when it is done. */
  call(client: AbortSignal): { signal: AbortSignal; abort: () => void; release: () => void } {
    const controller = new AbortController()
    const abort = () => controller.abort()
    const forget = this.add(abort)
    if (client.aborted) abort()
    else client.addEventListener('abort', abort, { once: true })
    const release = () => {
      forget()
      client.removeEventListener('abort', abort)
    }
    return { signal: controller.signal, abort, release }
  }

  /** @returns forgets it again */
  add(end: () => void): () => void {
    this.#ends.add(end)
    return () => this.#ends.delete(end)
  }

  endAll(): void {
    for (const end of this.#ends) end()
  }
}
