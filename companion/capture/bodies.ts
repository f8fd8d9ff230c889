import type { BodyPiece } from '../../shared/traffic.ts'
import type { KeptBody } from '../ports/traffic.ts'
import { safeBody, safeShort } from './redaction.ts'

/** Where what is too long for memory goes. */
export interface Spill {
  put(content: Uint8Array, mediaType: string): string
  get(id: string): { content: Uint8Array } | null
}

/** Longer bodies go to the disk. Bytes. */
const IN_MEMORY = 16 * 1024
/** Of a stream that goes on and on, which grows in memory. Bytes. */
const MAX_STREAM = 1024 * 1024

const TEXT =
  /^(text\/|application\/([^;]*\+)?(json|xml|javascript|ecmascript|graphql|x-www-form-urlencoded|x-ndjson))/i

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what tells bytes from text
const NO_TEXT = /[\u0000-\u0008\u000b\u000e-\u001f]/

/** One body, in memory or on disk. */
export class Body implements KeptBody {
  bytes = 0
  binary = false
  cut = false
  #memory: Uint8Array | null = null
  #blob: string | null = null

  /** What of it lies in memory. */
  get weight(): number {
    return this.#memory?.byteLength ?? 0
  }

  /** Takes the place of what was there. Resolves when it is kept, in memory or on disk. */
  async set(piece: BodyPiece, mime: string, spill: Spill): Promise<void> {
    const raw = piece.base64 ? Buffer.from(piece.text, 'base64') : null
    const text = raw === null ? piece.text : textOf(raw, mime)
    this.cut = piece.cut
    this.binary = text === null
    const safe =
      text === null ? await safeBytes(raw ?? Buffer.alloc(0), mime) : Buffer.from(await safeBody(text, mime))
    this.#keep(safe, mime, spill)
  }

  /** Goes on where it ended. */
  append(piece: BodyPiece): void {
    const raw = Buffer.from(piece.text, piece.base64 ? 'base64' : 'utf8')
    if (this.bytes + raw.byteLength > MAX_STREAM || piece.cut) this.cut = true
    else this.#memory = Buffer.concat([this.#memory ?? Buffer.alloc(0), raw])
    this.bytes = this.#memory?.byteLength ?? 0
  }

  /** Null when the disk has forgotten it. */
  read(spill: Spill): Uint8Array | null {
    if (this.#blob !== null) return spill.get(this.#blob)?.content ?? null
    const bytes = this.#memory ?? new Uint8Array()
    return this.binary ? bytes : Buffer.from(safeShort(Buffer.from(bytes).toString('utf8')))
  }

  /** The id under which all of it lies on disk. */
  blob(mime: string, spill: Spill): string | null {
    if (this.#blob === null) {
      const content = this.read(spill)
      if (content !== null) this.#blob = spill.put(content, mime)
    }
    return this.#blob
  }

  #keep(content: Uint8Array, mime: string, spill: Spill): void {
    this.bytes = content.byteLength
    const isLong = content.byteLength > IN_MEMORY
    this.#memory = isLong ? null : content
    this.#blob = isLong ? spill.put(content, mime || 'application/octet-stream') : null
  }
}

/** A form with files in it has fields as well; each byte stays what it is. */
const safeBytes = async (bytes: Buffer, mime: string): Promise<Uint8Array> =>
  /^multipart\//i.test(mime) ? Buffer.from(await safeBody(bytes.toString('latin1'), mime), 'latin1') : bytes

/**
 * Null for what is no text. Where the type says that it is some, broken places are shown as such; where it does not,
 * it is text when it reads as one: many servers tell no type, or a wrong one.
 */
function textOf(bytes: Uint8Array, mime: string): string | null {
  if (TEXT.test(mime)) return new TextDecoder().decode(bytes)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return NO_TEXT.test(text) ? null : text
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

/** The same for a message of a socket, which tells no type. */
export const asText = (bytes: Uint8Array): string | null => textOf(bytes, '')
