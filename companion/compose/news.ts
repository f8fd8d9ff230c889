import type { Status } from '../../shared/status.ts'
import type { RunEvent } from '../kernel/operation.ts'

/** How often watchers are told at most: a burst of runs must not become a burst of records. */
const INTERVAL_MS = 100

/** How long after a change: what was asked for goes first, and short runs are told of once. */
const AFTER_MS = 25

/** Tells watchers the state record soon after it changed, at most ten times a second. */
export class News {
  readonly #status: () => Status
  readonly #statusListeners = new Set<(status: Status) => void>()
  readonly #runListeners = new Set<(event: RunEvent) => void>()
  #timer: NodeJS.Timeout | null = null
  #changedAgain = false

  constructor(status: () => Status) {
    this.#status = status
  }

  status = (): Status => this.#status()

  onStatus = (listener: (status: Status) => void): (() => void) => {
    this.#statusListeners.add(listener)
    return () => this.#statusListeners.delete(listener)
  }

  onRunEvent = (listener: (event: RunEvent) => void): (() => void) => {
    this.#runListeners.add(listener)
    return () => this.#runListeners.delete(listener)
  }

  ran = (event: RunEvent): void => {
    for (const listener of this.#runListeners) listener(event)
    // The record tells the step under way.
    if (event.type === 'step' && event.state === 'started') this.changed()
  }

  changed = (): void => {
    if (this.#timer !== null) {
      this.#changedAgain = true
      return
    }
    this.#timer = setTimeout(() => this.#tell(), AFTER_MS)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#statusListeners.clear()
    this.#runListeners.clear()
  }

  #tell(): void {
    this.#changedAgain = false
    const status = this.#status()
    for (const listener of this.#statusListeners) listener(status)
    this.#timer = setTimeout(() => {
      this.#timer = null
      if (this.#changedAgain) this.#tell()
    }, INTERVAL_MS)
  }
}
