/** One event of the extension interfaces. */
export class ExtensionEvent<A extends unknown[]> {
  readonly #listeners = new Set<(...args: A) => unknown>()

  readonly addListener = (listener: (...args: A) => unknown): void => void this.#listeners.add(listener)

  readonly removeListener = (listener: (...args: A) => unknown): void => void this.#listeners.delete(listener)

  readonly hasListener = (listener: (...args: A) => unknown): boolean => this.#listeners.has(listener)

  /** What the listeners gave back. */
  emit(...args: A): unknown[] {
    return [...this.#listeners].map(listener => listener(...args))
  }
}
