import stringWidth from 'string-width'

/**
 * C0 and C1 controls and the marks that turn the direction of writing. What a site sends is printed on a person's
 * terminal, where these would move the cursor, rename the window or hide text.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what it is about
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
const C1 = /[\u007f-\u009f]/g
/** One column a character. */
const ASCII = /^[\u0020-\u007e]*$/
const ELLIPSIS = '…'
const graphemes = new Intl.Segmenter()

/** Text with its lines and tabs, but nothing that commands a terminal. CR LF becomes LF. */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replace(CONTROLS, '')

/** One line of it: every run of white space is one space. */
export const oneLine = (text: string): string => printable(text.replace(/\s+/gu, ' ')).trim()

/** JSON leaves C1 controls raw, which some terminals obey; as escapes they are the same JSON. */
export const escapeC1 = (json: string): string =>
  json.replace(C1, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Columns on a terminal: CJK and emoji take two. */
export const widthOf = (text: string): number => (ASCII.test(text) ? text.length : stringWidth(text))

/** Cuts to a width in columns, whole characters only; what was cut ends with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width < 1) return ''
  let used = 0
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    const next = used + widthOf(segment)
    if (next > width - 1) break
    used = next
    kept += segment
  }
  return kept + ELLIPSIS
}
