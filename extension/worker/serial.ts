/** Runs what it is given one after the other. */
export class Serial {
  readonly #what: string
  #last: Promise<unknown> = Promise.resolve()

  /** @param what is done, for the log: `a change of the routes` */
  constructor(what: string) {
    this.#what = what
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    // Whoever asked is told of a failure; the next in line starts all the same.
    this.#last = done.catch(error => console.debug(`${this.#what} failed`, error))
    return done
  }
}
