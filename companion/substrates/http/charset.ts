const META_CHARSET = /<meta[^>]+charset=["']?\s*([\w-]+)/i
const XML_ENCODING = /^<\?xml[^>]+encoding=["']([\w-]+)/i
/** How far into a document browsers look for its charset. */
const SNIFF_BYTES = 1024

/** Text by the charset of the header, the byte order mark, the XML declaration or the meta tag; else UTF-8. */
export function decodeBody(bytes: Uint8Array, contentType: string | undefined): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFF_BYTES))
  const declared =
    /charset=["']?\s*([\w-]+)/i.exec(contentType ?? '')?.[1] ??
    XML_ENCODING.exec(head)?.[1] ??
    META_CHARSET.exec(head)?.[1]
  return decoderFor(bomOf(bytes) ?? declared ?? 'utf-8').decode(bytes)
}

function bomOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** A label that no standard knows is the site's mistake; UTF-8 is then the best guess. */
function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder('utf-8')
    throw error
  }
}
