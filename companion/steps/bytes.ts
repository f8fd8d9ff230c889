import { wrongInput } from './fields.ts'

/** How bytes are written as text. */
export const BYTE_ENCODINGS = ['hex', 'base64', 'base64url'] as const
export type ByteEncoding = (typeof BYTE_ENCODINGS)[number]

/** Bytes as they are, text in UTF-8. */
export function bytesOfText(data: unknown, step: string): Uint8Array {
  if (data instanceof Uint8Array) return data
  if (typeof data === 'string') return Buffer.from(data, 'utf8')
  if (typeof data === 'number') return Buffer.from(String(data), 'utf8')
  throw wrongInput(step, 'text', data)
}

/** Bytes that text stands for. Unlike Buffer.from, it takes no text that is none of the encoding: null then. */
export function decodeBytes(text: string, encoding: ByteEncoding): Uint8Array | null {
  const bare = text.replaceAll(/\s+/g, '')
  const fits =
    encoding === 'hex'
      ? /^(?:[\da-f]{2})*$/i.test(bare)
      : /^[\w+/-]*={0,2}$/.test(bare) && bare.replace(/=+$/, '').length % 4 !== 1
  return fits ? Buffer.from(bare, encoding) : null
}

export const encodeBytes = (bytes: Uint8Array, encoding: ByteEncoding): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding)

/** The bytes of a file that came as bytes, as base64, or as a data: address. */
export function fileBytes(data: unknown, step: string): Uint8Array {
  if (data instanceof Uint8Array) return data
  if (typeof data === 'string') {
    const bytes = decodeBytes(data.replace(/^data:[^,]*;base64,/, ''), 'base64')
    if (bytes !== null && bytes.length > 0) return bytes
  }
  throw wrongInput(step, 'bytes, or base64 text', data)
}
