import type { HostState } from './host-process.ts'

export interface LivenessSettings {
  /** Sends the host a ping, which it answers itself. */
  ping: () => void
  /** Bytes that came so far: the proof of life. */
  received: () => number
  /** Bytes that the system has taken so far. They may lie in a buffer, so they prove less. */
  sent: () => number
  look: () => Promise<HostState>
  /** The host is beyond help. Called once; the watch has ended then. */
  dead: (state: HostState) => void
}

const ACTIVE_PAUSE_MS = 1000
const IDLE_PAUSE_MS = 15_000
const ACTIVE_FOR_MS = 60_000
/** A ping takes a millisecond or two; after this long it is worth a look at the process. */
const PATIENCE_MS = 300
/** So long may a host that is not suspended be busy. */
const SILENT_FOR_MS = 10_000
/** A timer this late means that we slept: then the silence was ours. */
const OVERSLEPT_MS = 1000

/**
 * Watches over one host. A suspended process keeps its pipes open, so nothing but its silence shows that the
 * link is dead.
 */
export class Liveness {
  readonly #settings: LivenessSettings
  #timer: NodeJS.Timeout | undefined
  #dueAt = 0
  #activeUntil = 0
  #received = 0
  #sent = 0
  #movedAt = 0
  #isWaiting = false
  #isOver = false

  constructor(settings: LivenessSettings) {
    this.#settings = settings
    this.#schedule(IDLE_PAUSE_MS)
  }

  /** Somebody relies on the link now: watch closely for a while, beginning at once. */
  touch(): void {
    const now = Date.now()
    const wasIdle = now >= this.#activeUntil
    this.#activeUntil = now + ACTIVE_FOR_MS
    if (wasIdle && !this.#isWaiting) this.#schedule(0)
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #schedule(delayMs: number): void {
    if (this.#isOver) return
    clearTimeout(this.#timer)
    this.#dueAt = Date.now() + delayMs
    this.#timer = setTimeout(() => void this.#tick(), delayMs)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    const now = Date.now()
    if (!this.#isWaiting || now - this.#dueAt > OVERSLEPT_MS) this.#ping(now)
    else if (this.#settings.received() !== this.#received) this.#rest(now)
    else await this.#suspect(now)
  }

  #ping(now: number): void {
    this.#received = this.#settings.received()
    this.#movedAt = now
    this.#isWaiting = true
    this.#settings.ping()
    this.#schedule(PATIENCE_MS)
  }

  #rest(now: number): void {
    this.#isWaiting = false
    this.#schedule(now < this.#activeUntil ? ACTIVE_PAUSE_MS - PATIENCE_MS : IDLE_PAUSE_MS)
  }

  async #suspect(now: number): Promise<void> {
    const sent = this.#settings.sent()
    if (sent !== this.#sent) this.#movedAt = now
    this.#sent = sent
    const state = await this.#settings.look()
    if (this.#isOver) return
    if (state === 'stopped' || state === 'gone' || now - this.#movedAt >= SILENT_FOR_MS) {
      this.stop()
      this.#settings.dead(state)
    } else this.#schedule(PATIENCE_MS)
  }
}
