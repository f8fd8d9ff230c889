import { decodeHTML, escapeText } from 'entities'
import { type Filter, textOf } from './filter.ts'

export const HTML_FILTERS: Readonly<Record<string, Filter>> = {
  strip_html: {
    doc: 'Text without tags, comments, scripts and styles, and with entities as characters.',
    params: [],
    example: ["'<b>x &amp; y</b>' | strip_html", 'x & y'],
    run: (v, _, fuel) => decodeHTML(withoutTags(textOf(v, fuel, 10))).trim(),
  },
  unescape_html: {
    doc: 'Entities as characters.',
    params: [],
    example: ["'&lt;&#20320;&gt;' | unescape_html", '<你>'],
    aliases: ['html_unescape', 'decode_html'],
    run: (v, _, fuel) => decodeHTML(textOf(v, fuel, 5)),
  },
  escape_html: {
    doc: 'Characters that mean something in HTML as entities.',
    params: [],
    example: ["'a < b' | escape_html", 'a &lt; b'],
    aliases: ['html_escape'],
    run: (v, _, fuel) =>
      escapeText(textOf(v, fuel, 5))
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&#39;'),
  },
}

/** Elements whose content is no text. */
const SILENT = ['script', 'style', 'template', 'noscript'] as const

/** One pass, each place looked at a fixed number of times: what a page never closes must not cost more. */
function withoutTags(html: string): string {
  const lower = html.toLowerCase()
  const seek = seeker(lower)
  let made = ''
  let at = 0
  for (;;) {
    const open = html.indexOf('<', at)
    if (open === -1) return made + html.slice(at)
    made += html.slice(at, open)
    at = endOfTag(lower, open, seek)
    if (at === open) {
      made += '<'
      at = open + 1
    }
  }
}

/** Where what begins at `open` ends; `open` itself when it is only a sign. */
function endOfTag(lower: string, open: number, seek: (mark: string, from: number) => number): number {
  if (lower.startsWith('<!--', open)) return seek('-->', open + 4)
  if (!/[a-z/!?]/.test(lower.charAt(open + 1))) return open
  const name = /^[a-z]+/.exec(lower.slice(open + 1, open + 12))?.[0]
  const silent = SILENT.find(each => each === name)
  const end = seek('>', open)
  return silent === undefined ? end : seek('>', seek(`</${silent}`, end))
}

/** Finds the end of a mark; what was once not found is not looked for again. */
function seeker(text: string): (mark: string, from: number) => number {
  const absent = new Set<string>()
  return (mark, from) => {
    const found = absent.has(mark) ? -1 : text.indexOf(mark, from)
    if (found !== -1) return found + mark.length
    absent.add(mark)
    return text.length
  }
}
