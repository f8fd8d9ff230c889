/** Text that arrives in pieces, to be read in order by one reader. */
export class TextQueue implements AsyncIterable<string> {
  readonly #pieces: string[] = []
  #ended = false
  #wake: () => void = () => undefined

  /** Null ends it. */
  push(piece: string | null): void {
    if (piece === null) this.#ended = true
    else this.#pieces.push(piece)
    this.#wake()
  }

  end(): void {
    this.push(null)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece !== undefined) yield piece
      else if (this.#ended) return
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
    }
  }
}
