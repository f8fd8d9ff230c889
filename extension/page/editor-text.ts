import { isElement, isText } from './dom.ts'
import { isAriaHidden } from './rendering.ts'

/**
 * The text of an editor as its lines, parted by \n: each block is a line, and so is what a `<br>` ends. `innerText`
 * does not tell an empty line from the space between two paragraphs.
 */
export function editorText(host: HTMLElement): string {
  const lines = new Lines()
  collect(host, lines)
  return lines.text()
}

class Lines {
  readonly #done: string[] = []
  #line: string | null = null

  add(text: string): void {
    this.#line = (this.#line ?? '') + text
  }

  /** A `<br>` ends its line; the one at the end of a block only keeps it open. */
  break(): void {
    this.#done.push(this.#line ?? '')
    this.#line = null
  }

  /** Begins or ends a block. */
  edge(): void {
    if (this.#line !== null) this.#done.push(this.#line)
    this.#line = null
  }

  text(): string {
    this.edge()
    return this.#done.join('\n')
  }
}

function collect(node: Node, lines: Lines): void {
  for (const child of node.childNodes) {
    if (isText(child)) addText(child, lines)
    else if (isElement(child)) addElement(child, lines)
  }
}

function addElement(element: Element, lines: Lines): void {
  if (element.localName === 'br') lines.break()
  if (element.localName === 'br' || isAriaHidden(element)) return
  const { display } = getComputedStyle(element)
  if (display === 'none') return
  const isBlock = display !== 'contents' && !display.startsWith('inline')
  if (isBlock) lines.edge()
  collect(element, lines)
  if (isBlock) lines.edge()
}

const INVISIBLE = /[\u200b\ufeff]/g

function addText(text: Text, lines: Lines): void {
  const keepsLines = /^(pre|break-spaces)/.test(
    getComputedStyle(text.parentElement ?? document.body).whiteSpace,
  )
  const value = text.data.replace(INVISIBLE, '').replace(/\u00a0/g, ' ')
  if (!keepsLines) {
    // What only sets out the markup is no text.
    if (value.trim() === '' && /\n/.test(value)) return
    if (value !== '') lines.add(value.replace(/[\n\t]+/g, ' '))
    return
  }
  const [first = '', ...others] = value.split('\n')
  if (first !== '') lines.add(first)
  for (const other of others) {
    lines.break()
    if (other !== '') lines.add(other)
  }
}
