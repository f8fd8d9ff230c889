const FIRST_MS = 100
const LIMIT_MS = 5000

/** How long to wait before each further try: nothing, then 100 ms doubling to 5 s, each with jitter. */
export class Backoff {
  #tries = 0
  readonly #random: () => number

  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  next(): number {
    const step = this.#tries++
    if (step === 0) return 0
    const full = Math.min(LIMIT_MS, FIRST_MS * 2 ** (step - 1))
    return Math.round(full * (0.5 + this.#random() / 2))
  }

  reset(): void {
    this.#tries = 0
  }
}
