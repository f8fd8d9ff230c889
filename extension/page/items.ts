import type { Role } from './role-table.ts'

/** The page as a tree of what a reader would be told: pruned, with text merged. */
export type Item = TextItem | ElementItem

/** In the viewport, in CSS pixels: left, top, width, height. */
export type Box = [x: number, y: number, width: number, height: number]

/** What else is to be told of a page than what everybody needs. */
export interface Extras {
  /** Where everything lies, and refs for texts and for what does not act. */
  boxes: boolean
  /** Shapes and colours. */
  graphics: boolean
}

export const NO_EXTRAS: Extras = { boxes: false, graphics: false }

export interface TextItem {
  kind: 'text'
  text: string
  /** It is struck through. */
  struck: boolean
  /** What holds the text, where texts have refs. */
  carrier: ElementItem | null
}

export interface ElementItem {
  kind: 'element'
  element: Element
  role: Role
  /** What it is called in place of its role: the kind of a shape. */
  shape: string | null
  /** As it is shown: '' where there is none, and where the children tell it. */
  name: string
  /** The whole name of what acts, by which it is known again. */
  fullName: string
  states: string[]
  /** null where it has none. */
  value: string | null
  /** It gets a ref. */
  acts: boolean
  /** Where boxes are told. */
  box: Box | null
  children: Item[]
}

export const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader'])

export function boxOf({ left, top, width, height }: DOMRect): Box {
  return [Math.round(left), Math.round(top), Math.round(width), Math.round(height)]
}

export const boxText = (box: Box): string => `[${box.join(',')}]`
