import { PageFailure } from './failure.ts'

/** Files on their way into the page. The bytes lie with the browser, as blobs, not in the page's memory. */
export class Stash {
  /** By file the pieces by their place, in whichever order they came. */
  readonly #files = new Map<string, Map<number, Blob>>()

  add({ id, at, base64 }: Piece): { bytes: number } {
    const pieces = at === 0 ? new Map<number, Blob>() : (this.#files.get(id) ?? new Map<number, Blob>())
    const piece = new Blob([bytesOf(base64)])
    this.#files.set(id, pieces.set(at, piece))
    return { bytes: piece.size }
  }

  /** @throws invalid_args when it is not whole */
  take({ id, name, type, bytes }: StashedFile): File {
    const pieces = [...(this.#files.get(id) ?? [])].sort(([left], [right]) => left - right)
    this.#files.delete(id)
    let end = 0
    for (const [at, { size }] of pieces) {
      if (at !== end) throw notWhole(id, end, bytes)
      end += size
    }
    if (end !== bytes) throw notWhole(id, end, bytes)
    return new File(
      pieces.map(([, piece]) => piece),
      name,
      { type },
    )
  }
}

export interface Piece {
  /** Names the file until it is taken. */
  id: string
  /** Where in the file it stands; 0 begins it anew, so that one comes first. */
  at: number
  base64: string
}

export interface StashedFile {
  id: string
  name: string
  type: string
  bytes: number
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), character => character.charCodeAt(0))

const notWhole = (id: string, end: number, bytes: number): PageFailure =>
  PageFailure.of('invalid_args', {
    operation: 'browser.upload',
    problems: [`file ${id}: ${end} of its ${bytes} bytes came`],
  })
