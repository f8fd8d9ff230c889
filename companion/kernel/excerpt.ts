import type { Evidence } from '../../shared/envelope.ts'
import type { EvidencePort } from '../ports/state.ts'

/** Characters that a text keeps: in a row of a list, where there are many, and in an answer about one thing. */
export const ROW_CHARS = 1000
export const LONE_CHARS = 20_000
/** Base64 shorter than this is left alone: it may be a key, a hash, an id. */
const MIN_BASE64 = 1024

export interface Excerpt {
  data: unknown
  /** The whole of what was cut, and what stood in it as bytes. */
  evidence: Evidence[]
  /** What was cut, in words; null when nothing was. */
  truncated: string | null
}

/**
 * An answer as an agent can read it: long texts are cut and say so where they were cut, bytes and base64 give way
 * to `{blob, media_type, bytes}`. The whole stays behind as evidence, secrets taken out.
 */
export function excerpt(data: unknown, evidence: EvidencePort): Excerpt {
  const cutter = new Cutter(evidence)
  const short = cutter.value(data, Array.isArray(data) ? ROW_CHARS : LONE_CHARS)
  if (cutter.texts === 0) return { data: short, evidence: cutter.blobs, truncated: null }
  const whole = evidence.keep(data)
  return {
    data: short,
    evidence: [...cutter.blobs, { kind: 'data', media_type: 'application/json', ...whole }],
    truncated:
      `${cutter.texts} texts cut by ${cutter.characters} characters: ` +
      'the evidence of kind data is the whole; or ask with the option full.',
  }
}

/** The same answer with nothing left out; bytes become base64, which JSON can hold. */
export function inFull(data: unknown): unknown {
  if (data instanceof Uint8Array) return Buffer.from(data).toString('base64')
  return mapInside(data, inFull)
}

class Cutter {
  texts = 0
  characters = 0
  readonly blobs: Evidence[] = []
  readonly #evidence: EvidencePort

  constructor(evidence: EvidencePort) {
    this.#evidence = evidence
  }

  value(value: unknown, limit: number): unknown {
    if (typeof value === 'string') return this.#text(value, limit)
    if (value instanceof Uint8Array) return this.#blob(value, 'application/octet-stream')
    return mapInside(value, inner => this.value(inner, limit))
  }

  #text(text: string, limit: number): unknown {
    if (text.length < MIN_BASE64 && text.length <= limit) return text
    const bytes = bytesIn(text)
    if (bytes !== null) return this.#blob(bytes.content, bytes.media_type)
    if (text.length <= limit) return text
    // Never half a character: the other half of a pair would be left alone.
    const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
    this.texts += 1
    this.characters += text.length - end
    return `${text.slice(0, end)}…[+${text.length - end} chars]`
  }

  #blob(content: Uint8Array, declared: string): object {
    const media_type = sniffed(content) ?? declared
    const id = this.#evidence.put(content, media_type)
    this.blobs.push({ kind: 'blob', id, media_type, bytes: content.byteLength })
    return { blob: id, media_type, bytes: content.byteLength }
  }
}

/** A copy whose inner values went through `change`; the value itself when none of them is another then. */
function mapInside(value: unknown, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(change)
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value
  const entries = Object.entries(value)
  const changed = entries.map(([key, inner]) => [key, change(inner)] as const)
  return changed.every(([, inner], at) => inner === entries[at]?.[1]) ? value : Object.fromEntries(changed)
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[^;,]*)*;base64,/i

/** The bytes that a long text stands for, or null. */
function bytesIn(text: string): { content: Uint8Array; media_type: string } | null {
  const head = DATA_URI.exec(text)
  const body = head === null ? text : text.slice(head[0].length)
  if (text.length < MIN_BASE64 || /[^A-Za-z0-9+/_=\r\n-]/.test(body)) return null
  if (head === null && !(isMixed(body) && isEven(body))) return null
  return { content: Buffer.from(body, 'base64'), media_type: head?.[1] ?? 'application/octet-stream' }
}

/** Base64 that is wrapped has lines of one length; names or ids one a line have not. */
function isEven(text: string): boolean {
  const lines = text.trim().split(/\r?\n/)
  const [width = 0, ...others] = lines.map(line => line.length)
  const last = others.pop() ?? width
  return last <= width && others.every(length => length === width) && (lines.length === 1 || width >= 40)
}

/** Hex has no capitals beside small letters, and a long word no digits. */
function isMixed(text: string): boolean {
  const sample = text.slice(0, 2048)
  return /[A-Z]/.test(sample) && /[a-z]/.test(sample) && /[0-9]/.test(sample)
}

const MAGIC: readonly (readonly [media_type: string, bytes: readonly number[], at?: number])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x57, 0x45, 0x42, 0x50], 8],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
  ['application/gzip', [0x1f, 0x8b]],
  ['application/wasm', [0x00, 0x61, 0x73, 0x6d]],
  ['video/mp4', [0x66, 0x74, 0x79, 0x70], 4],
  ['audio/mpeg', [0x49, 0x44, 0x33]],
]

const sniffed = (content: Uint8Array): string | null =>
  MAGIC.find(([, bytes, at = 0]) => bytes.every((byte, offset) => content[at + offset] === byte))?.[0] ?? null
