/** A limit within the run, which ends with the run at the latest. Call `end` when it is no longer needed. */
export class Within {
  readonly #limit = new AbortController()
  readonly #timer: NodeJS.Timeout
  readonly signal: AbortSignal

  constructor(run: AbortSignal, ms: number) {
    this.#timer = setTimeout(() => this.#limit.abort(), ms)
    this.signal = AbortSignal.any([run, this.#limit.signal])
  }

  /** The limit was reached, not the end of the run. */
  get isOver(): boolean {
    return this.#limit.signal.aborted
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
