import { browser } from 'wxt/browser'
import type { z } from 'zod'

/** Keys are names that people and agents choose: `constructor` must find nothing that nobody has put there. */
const withoutPrototype = <T>(value: T): T =>
  typeof value === 'object' && value !== null ? Object.assign(Object.create(null), value) : value

/**
 * One value that outlives the worker; in the area `local` also the browser. Read once per life of the worker, written
 * whole after each change. Writes are serial, so the last one wins.
 */
export class Keep<S extends z.ZodType> {
  readonly #key: string
  readonly #schema: S
  readonly #empty: () => z.infer<S>
  readonly #area: 'session' | 'local'
  #value: Promise<z.infer<S>> | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(key: string, schema: S, empty: () => z.infer<S>, area: 'session' | 'local' = 'session') {
    this.#key = key
    this.#schema = schema
    this.#empty = empty
    this.#area = area
  }

  /** The live value: change it in place and call `save`. */
  get(): Promise<z.infer<S>> {
    this.#value ??= this.#load()
    return this.#value
  }

  /** Resolves when the value, as it is now or later, has been kept. */
  save(): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      await browser.storage[this.#area].set({ [this.#key]: await this.get() })
    })
    return this.#writing
  }

  async #load(): Promise<z.infer<S>> {
    const kept = await browser.storage[this.#area].get(this.#key)
    const parsed = this.#schema.safeParse(kept[this.#key])
    return withoutPrototype(parsed.success ? parsed.data : this.#empty())
  }
}
