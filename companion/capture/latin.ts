/** Text of which a browser takes the bytes for Windows-1252 where no charset is named; that of others it looks into. */
export const READ_AS_LATIN = /^text\/(?!html|xml|javascript|ecmascript)/

/** What the bytes from 0x80 to 0x9f stand for in Windows-1252; five of them for nothing. */
const UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const BYTES = new Map([...UPPER].map((sign, at) => [sign, String.fromCharCode(0x80 + at)]))
const SIGNS = new RegExp(`[${UPPER}]`, 'g')

/**
 * Text that a browser took for Windows-1252 although it is UTF-8, as nearly everything is, and as a page that fetches it
 * reads it. What is no UTF-8 stays as it is.
 */
export function rereadAsUtf8(text: string): string {
  const latin = text.replace(SIGNS, sign => BYTES.get(sign) ?? sign)
  if (!/[\u0080-\uffff]/.test(latin) || /[\u0100-\uffff]/.test(latin)) return text
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin, 'latin1'))
  } catch (error) {
    if (error instanceof TypeError) return text
    throw error
  }
}
