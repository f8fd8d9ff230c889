import { oncePerTurn } from './clock.ts'
import { flatChildren, isElement } from './dom.ts'

/** Values of CSS counters (CSS Lists 3), which a page's script can ask no browser for. */

export type Place = '::before' | '::after'

/** One counter of a name; those that are created deeper hide it until the walk leaves `within`. */
interface Counter {
  within: Element | null
  value: number
}
type Counters = Map<string, Counter[]>

/** A walk of larger documents would hold the page for too long: 2,000 elements took 50 ms. */
const MAX_ELEMENTS = 600

/** What generated content says that has counters in it; null where that is not known. */
export const countedText = (element: Element, place: Place): string | null =>
  countedTexts().get(element)?.get(place) ?? null

const countedTexts = oncePerTurn((): Map<Element, Map<Place, string>> => {
  const texts = new Map<Element, Map<Place, string>>()
  if (document.getElementsByTagName('*').length <= MAX_ELEMENTS)
    count(document.documentElement, null, new Map(), texts)
  return texts
})

function count(
  element: Element,
  parent: Element | null,
  counters: Counters,
  texts: Map<Element, Map<Place, string>>,
): void {
  const style = getComputedStyle(element)
  if (style.display === 'none') return
  applyStyle(style, parent, counters)
  const generate = (place: Place): void => {
    const generated = getComputedStyle(element, place)
    if (generated.content === 'none' || generated.content === 'normal' || generated.display === 'none') return
    applyStyle(generated, element, counters)
    if (!generated.content.includes('counter')) return
    const own = texts.get(element) ?? new Map<Place, string>()
    texts.set(element, own.set(place, textOfContent(generated.content, counters)))
  }
  generate('::before')
  for (const child of flatChildren(element)) if (isElement(child)) count(child, element, counters, texts)
  generate('::after')
  for (const stack of counters.values()) if (stack.at(-1)?.within === element) stack.pop()
}

function applyStyle(style: CSSStyleDeclaration, within: Element | null, counters: Counters): void {
  for (const [name, value] of pairsOf(style.counterReset)) {
    const stack = stackOf(counters, name)
    // A sibling's counter of that name ends here.
    if (stack.at(-1)?.within === within) stack.pop()
    stack.push({ within, value })
  }
  for (const [name, value] of pairsOf(style.counterIncrement)) current(counters, name, within).value += value
  for (const [name, value] of pairsOf(style.counterSet)) current(counters, name, within).value = value
}

const pairsOf = (value: string): [string, number][] =>
  [...value.matchAll(/(\S+)\s+(-?\d+)/g)].map(pair => [pair[1] ?? '', Number(pair[2])])

function stackOf(counters: Counters, name: string): Counter[] {
  const stack = counters.get(name) ?? []
  counters.set(name, stack)
  return stack
}

/** The innermost counter of the name; without one the element begins it. */
function current(counters: Counters, name: string, within: Element | null): Counter {
  const stack = stackOf(counters, name)
  const last = stack.at(-1) ?? { within, value: 0 }
  if (stack.length === 0) stack.push(last)
  return last
}

/** An address that is itself a picture's markup has quotation marks in it. */
const PICTURES = /url\("(?:[^"\\]|\\.)*"\)/g
const PIECES = /"(?:[^"\\]|\\.)*"|\/|counters?\((?:[^)"]|"(?:[^"\\]|\\.)*")*\)/g

/** What a value of `content` says, or the alternative that it gives for that; without counters none are counted. */
export function textOfContent(content: string, counters: ReadonlyMap<string, readonly Counter[]>): string {
  const pieces: string[] = content.replace(PICTURES, '').match(PIECES) ?? []
  return pieces
    .slice(pieces.lastIndexOf('/') + 1)
    .map(piece => (piece.startsWith('"') ? unquoted(piece) : counterText(piece, counters)))
    .join('')
}

const unquoted = (piece: string): string => piece.slice(1, -1).replace(/\\(.)/g, '$1')

function counterText(piece: string, counters: ReadonlyMap<string, readonly Counter[]>): string {
  const name = /\(\s*([^\s,)]+)/.exec(piece)?.[1] ?? ''
  const style = /,\s*([a-z-]+)\s*\)$/.exec(piece)?.[1] ?? 'decimal'
  const separator = /"(?:[^"\\]|\\.)*"/.exec(piece)?.[0]
  // One that nothing has begun begins where it is told.
  const values = (counters.get(name) ?? [{ value: 0 }]).map(({ value }) => numeral(value, style))
  return separator === undefined ? (values.at(-1) ?? '') : values.join(unquoted(separator))
}

/** Styles of counters that stand for text; any other is read as decimal. */
function numeral(value: number, style: string): string {
  if (value > 0 && /^(?:lower|upper)-(?:alpha|latin)$/.test(style)) return cased(letters(value), style)
  if (value > 0 && value < 4000 && /^(?:lower|upper)-roman$/.test(style)) return cased(roman(value), style)
  return style === 'decimal-leading-zero' ? String(value).padStart(2, '0') : String(value)
}

const cased = (text: string, style: string): string => (style.startsWith('upper') ? text.toUpperCase() : text)

const letters = (value: number): string =>
  value <= 0
    ? ''
    : letters(Math.floor((value - 1) / 26)) + String.fromCharCode('a'.charCodeAt(0) + ((value - 1) % 26))

const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
]

function roman(value: number): string {
  const [size, sign] = ROMAN.find(([size]) => size <= value) ?? [0, '']
  return size === 0 ? '' : sign + roman(value - size)
}
