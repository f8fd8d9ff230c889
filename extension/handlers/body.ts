import { toBase64 } from '../worker/base64.ts'

/** Turns an answer's bytes into what crosses the wire: text by the charset it declares, or base64. */
export interface DecodedBody {
  body: string
  base64: boolean
}

const TEXT_TYPES =
  /^(text\/|application\/(json|javascript|ecmascript|xml|graphql|x-www-form-urlencoded|x-ndjson|yaml|x-yaml)|[^;]*\+(json|xml|yaml))/i
/** As far into a document as browsers look for a declared charset. */
const PRESCAN_BYTES = 1024

export function decodeBody(bytes: Uint8Array, contentType: string): DecodedBody {
  if (!looksLikeText(bytes, contentType)) return { body: toBase64(bytes), base64: true }
  const decoder = new TextDecoder(charsetOf(bytes, contentType))
  return { body: decoder.decode(bytes), base64: false }
}

/** An answer of undeclared type is text unless it holds a zero byte near its start. */
function looksLikeText(bytes: Uint8Array, contentType: string): boolean {
  if (contentType !== '') return TEXT_TYPES.test(contentType.trim())
  return !bytes.subarray(0, PRESCAN_BYTES).includes(0)
}

/** A byte order mark, then the header, then what the document says of itself, then UTF-8. */
function charsetOf(bytes: Uint8Array, contentType: string): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const declared = known(/charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1])
  if (declared !== null) return declared
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, PRESCAN_BYTES))
  const meta = /<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]+)/i.exec(start)
  const xml = /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']([\w.:-]+)/i.exec(start)
  return known((meta ?? xml)?.[1]) ?? 'utf-8'
}

/** The decoder's name of a charset label, or null for a label that no browser knows. */
function known(label: string | undefined): string | null {
  if (label === undefined) return null
  try {
    return new TextDecoder(label).encoding
  } catch {
    // RangeError: pages do name charsets that do not exist.
    return null
  }
}
