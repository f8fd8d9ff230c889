import { countedText, type Place, textOfContent } from './counters.ts'
import { withoutIcons } from './text.ts'

/** Text as style draws it. */

/** A slot is not there for a reader: what fills it decides. */
export const isInline = (element: Element, display: string): boolean =>
  display === 'inline' ||
  display.startsWith('ruby') ||
  (display === 'contents' && element.localName === 'slot')

/** In the case that style gives it; other transformations, such as wider letters, are for the eye only. */
export function drawn(text: string, { textTransform }: CSSStyleDeclaration): string {
  if (textTransform === 'none') return text
  if (textTransform.includes('uppercase')) return text.toUpperCase()
  if (textTransform.includes('lowercase')) return text.toLowerCase()
  return textTransform.includes('capitalize')
    ? text.replace(/(?<![\p{L}\p{M}\p{N}'’_])\p{L}/gu, letter => letter.toUpperCase())
    : text
}

/** Text that style puts before or after, with the alternative that style gives for it. */
export function generatedText(element: Element, place: Place): string {
  const style = getComputedStyle(element, place)
  const value = style.content
  if (value === 'none' || value === 'normal' || value === '' || style.display === 'none') return ''
  if (style.visibility !== 'visible') return ''
  const counted = value.includes('counter') ? countedText(element, place) : null
  const text = withoutIcons(drawn(counted ?? textOfContent(value, NO_COUNTERS), style))
  // What stands for a picture is no part of the word beside it.
  const goesOn = isInline(element, style.display) && !ALTERNATIVE.test(value)
  return goesOn || text === '' ? text : ` ${text} `
}

/** A slash outside of strings. */
const ALTERNATIVE = /^(?:[^"/]|"(?:[^"\\]|\\.)*")*\//

const NO_COUNTERS = new Map<string, never[]>()
