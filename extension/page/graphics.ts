import { isHtml } from './dom.ts'

/** What is drawn without words: shapes of SVG and boxes of style, by kind and colour. */

/** A kind of shape, such as `circle`, with its colours as words and as `#rrggbb`. */
export interface Shape {
  kind: string
  /** e.g. `red #e11d48`; '' where it has none. */
  colour: string
}

export function shapeOf(element: Element, style: CSSStyleDeclaration): Shape | null {
  if (element.namespaceURI === 'http://www.w3.org/2000/svg') return svgShape(element, style)
  return isHtml(element) ? boxShape(element, style) : null
}

const SVG_KINDS: Record<string, (element: Element) => string> = {
  circle: () => 'circle',
  ellipse: element => (isEven(element) ? 'circle' : 'ellipse'),
  image: () => 'image',
  line: () => 'line',
  path: () => 'path',
  polygon: element => polygonKind(pointCount(element)),
  polyline: () => 'polyline',
  rect: element => (isEven(element) ? 'square' : 'rectangle'),
  text: () => 'text',
  use: () => 'symbol',
}

function svgShape(element: Element, style: CSSStyleDeclaration): Shape | null {
  if (element.closest('defs, clipPath, mask, symbol, marker, pattern')) return null
  const kind = SVG_KINDS[element.localName]?.(element)
  if (kind === undefined) return null
  const fill = colourText(style.fill)
  return { kind, colour: fill === '' ? colourText(style.stroke) : fill }
}

const POLYGONS: Record<number, string> = { 3: 'triangle', 4: 'quadrilateral', 5: 'pentagon', 6: 'hexagon' }

const polygonKind = (points: number): string => POLYGONS[points] ?? 'polygon'

const pointCount = (element: Element): number =>
  Math.floor((element.getAttribute('points')?.match(/-?[\d.]+(?:e-?\d+)?/gi) ?? []).length / 2)

const SAME_LENGTH = 0.06

function isEven(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect()
  return Math.abs(width - height) <= Math.max(width, height) * SAME_LENGTH
}

const MIN_SIDE = 3

/** A box that shows nothing but itself: a background, a picture or a border around nothing. */
function boxShape(element: Element, style: CSSStyleDeclaration): Shape | null {
  if (element.childElementCount > 0 || element.textContent.trim() !== '') return null
  const { width, height } = element.getBoundingClientRect()
  if (width < MIN_SIDE || height < MIN_SIDE) return null
  const ground = colourText(style.backgroundColor)
  const edge = Number.parseFloat(style.borderTopWidth) > 0 ? colourText(style.borderTopColor) : ''
  const picture = style.backgroundImage !== 'none'
  if (ground === '' && edge === '' && !picture) return null
  const kind = picture ? 'picture' : boxKind(style, width, height)
  return { kind, colour: ground === '' ? edge : ground }
}

function boxKind(style: CSSStyleDeclaration, width: number, height: number): string {
  const radius = style.borderTopLeftRadius
  const isRound = radius.endsWith('%')
    ? Number.parseFloat(radius) >= 50
    : Number.parseFloat(radius) >= Math.min(width, height) / 2 - 1
  const isSquare = Math.abs(width - height) <= Math.max(width, height) * SAME_LENGTH
  if (isRound) return isSquare ? 'circle' : 'ellipse'
  return isSquare ? 'square' : 'rectangle'
}

/** The ground of what acts, e.g. of a swatch; '' where it has none. */
export const groundColour = (style: CSSStyleDeclaration): string => colourText(style.backgroundColor)

const COLOURS: [name: string, red: number, green: number, blue: number][] = [
  ['black', 0, 0, 0],
  ['white', 255, 255, 255],
  ['gray', 128, 128, 128],
  ['silver', 200, 200, 200],
  ['red', 255, 0, 0],
  ['red', 210, 40, 50],
  ['maroon', 128, 0, 0],
  ['orange', 255, 165, 0],
  ['yellow', 255, 255, 0],
  ['olive', 128, 128, 0],
  ['lime', 0, 255, 0],
  ['green', 0, 128, 0],
  ['green', 50, 180, 80],
  ['teal', 0, 128, 128],
  ['cyan', 0, 255, 255],
  ['blue', 0, 0, 255],
  ['blue', 50, 110, 220],
  ['navy', 0, 0, 128],
  ['purple', 128, 0, 128],
  ['magenta', 255, 0, 255],
  ['pink', 255, 192, 203],
  ['brown', 150, 75, 0],
]

/** `red #ff0000`; '' for what is no plain colour, and for what cannot be seen through. */
function colourText(value: string): string {
  const parts = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(value)
  if (!parts || Number(parts[4] ?? 1) < 0.05) return ''
  const [red = 0, green = 0, blue = 0] = parts.slice(1, 4).map(Number)
  const far = ([, r, g, b]: (typeof COLOURS)[number]): number =>
    (r - red) ** 2 * 2 + (g - green) ** 2 * 4 + (b - blue) ** 2 * 3
  const [nearest] = COLOURS.toSorted((a, b) => far(a) - far(b))
  const hex = [red, green, blue].map(part => part.toString(16).padStart(2, '0')).join('')
  return `${nearest?.[0] ?? ''} #${hex}`
}
