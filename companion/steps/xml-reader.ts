// xmldom and xpath: import this file lazily.
import { DOMParser, type Document, type Element, type Node } from '@xmldom/xmldom'
import xpath from 'xpath'
import { parseFailure } from './fields.ts'

const MAX_DEPTH = 500

/** XML as plain values: `{ root: … }`. Elements of these names are lists even where there is one only. */
export function xmlToValue(text: string, lists: readonly string[]): Record<string, unknown> {
  const root = parseDocument(text).documentElement
  if (root === null) throw parseFailure('The XML', 'it has no element')
  return { [root.nodeName]: contentOf(root, new Set(lists), 0) }
}

/** Text where an element holds nothing else, else an object. */
function contentOf(element: Element, lists: ReadonlySet<string>, depth: number): unknown {
  if (depth > MAX_DEPTH) throw parseFailure('The XML', `it is nested more than ${MAX_DEPTH} deep`)
  const fields = new Map<string, unknown>()
  for (const attribute of Array.from(element.attributes)) fields.set(`@${attribute.name}`, attribute.value)
  let text = ''
  for (const child of Array.from(element.childNodes)) {
    if (isText(child)) text += child.nodeValue ?? ''
    if (!isElement(child)) continue
    const value = contentOf(child, lists, depth + 1)
    const before = fields.get(child.nodeName)
    if (Array.isArray(before)) before.push(value)
    else if (before !== undefined) fields.set(child.nodeName, [before, value])
    else fields.set(child.nodeName, lists.has(child.nodeName) ? [value] : value)
  }
  if (fields.size === 0) return text.trim()
  if (text.trim() !== '') fields.set('#text', text.trim())
  return Object.fromEntries(fields)
}

const isElement = (node: Node): node is Element => node.nodeType === 1
const isText = (node: Node): boolean => node.nodeType === 3 || node.nodeType === 4

/** Nodes as their text, or as XML; what is no set of nodes as it is. */
export function evaluateXpath(
  text: string,
  expression: string,
  { namespaces, raw }: { namespaces: Record<string, string>; raw: boolean },
): string[] | string | number | boolean {
  const document = parseDocument(text)
  numberNodes(document)
  const found = nodesOf(expression, namespaces, document)
  return Array.isArray(found) ? found.map(node => (raw ? String(node) : (node.textContent ?? ''))) : found
}

function nodesOf(
  expression: string,
  namespaces: Record<string, string>,
  document: Document,
): Node[] | string | number | boolean {
  try {
    // The library is typed for the DOM of browsers; xmldom's nodes are what it is made for.
    return xpath.useNamespaces(namespaces)(expression, document as never) as unknown as Node[] | string
  } catch (cause) {
    throw parseFailure(`The XPath "${expression}"`, cause)
  }
}

/** Entities of the document's own are never expanded; what is no XML fails. */
function parseDocument(text: string): Document {
  let fault: string | null = null
  const parser = new DOMParser({
    onError: (level, message) => {
      if (level !== 'warning') fault ??= message
    },
  })
  try {
    const document = parser.parseFromString(text.replace(/^\uFEFF/, '').trimStart(), 'text/xml')
    if (fault === null) return document
  } catch (cause) {
    throw parseFailure('The XML', new Error(fault ?? 'it is not well-formed', { cause }))
  }
  throw parseFailure('The XML', fault)
}

const PRECEDING = 2
const FOLLOWING = 4

/**
 * Tells every node its place in the document. xmldom's own comparison goes through all siblings, which makes the
 * sorting of 20,000 nodes take minutes.
 */
function numberNodes(document: Document): void {
  const places = new Map<Node, number>()
  for (let at: Node | null = document; at !== null; at = nextNode(at, document)) {
    places.set(at, places.size)
    if (isElement(at)) for (const attribute of Array.from(at.attributes)) places.set(attribute, places.size)
  }
  for (const [node, place] of places)
    node.compareDocumentPosition = other => (place < (places.get(other) ?? -1) ? FOLLOWING : PRECEDING)
}

/** The next in the order of the document, or null after the last. */
function nextNode(node: Node, root: Node): Node | null {
  if (node.firstChild !== null) return node.firstChild
  let at: Node | null = node
  while (at !== null && at !== root && at.nextSibling === null) at = at.parentNode
  return at === null || at === root ? null : at.nextSibling
}
