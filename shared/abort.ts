/**
 * Settles as `work` does, or rejects with the signal's reason as soon as it is aborted. What was begun goes on: nobody
 * waits for it any longer, and an answer or failure of it that comes later is dropped.
 */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The limits of a call that may take so long from now on, whoever made it. */
export const limitedTo = (ms: number): { signal: AbortSignal; deadline: number } => ({
  signal: AbortSignal.timeout(ms),
  deadline: Date.now() + ms,
})
