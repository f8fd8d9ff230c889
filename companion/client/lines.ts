/** Cuts text into lines however it came in pieces. */
export class LineSplitter {
  #parts: string[] = []

  /** The lines that this piece completes, without their ends; empty lines are no lines. */
  push(piece: string): string[] {
    const [first = '', ...others] = piece.split('\n')
    this.#parts.push(first)
    const last = others.pop()
    if (last === undefined) return []
    const lines = [this.#parts.join(''), ...others]
    this.#parts = [last]
    return lines.map(line => line.replace(/\r$/, '')).filter(line => line !== '')
  }

  /** Forgets what is incomplete. */
  clear(): void {
    this.#parts = []
  }
}
