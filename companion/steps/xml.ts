import type { Document, Element, Node } from '@xmldom/xmldom'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import { parseFailure, textOf } from './fields.ts'

const LIBRARY =
  '<library xmlns="urn:l"><book id="1"><title>桥</title></book><book id="2"><title>Roads</title></book></library>'
const MAX_DEPTH = 500

const ParseXml = z.strictObject({
  lists: z
    .array(z.string().min(1))
    .default([])
    .describe('elements that are always a list, even where there is one only'),
})

export const parseXml = defineStep({
  name: 'parse_xml',
  doc: 'Turn XML into objects: an attribute is @name, text beside others is #text, repeated elements are a list.',
  needs: [],
  effect: 'pure',
  schema: ParseXml,
  example: { lists: ['book'] },
  exampleInput: '<library><book id="1"><title>桥</title></book></library>',
  exampleOutput: { library: { book: [{ '@id': '1', title: '桥' }] } },
  run: async ({ data }, { lists }) => {
    const root = (await parseDocument(textOf(data, 'parse_xml'))).documentElement
    if (root === null) throw parseFailure('The XML', 'it has no element')
    return { [root.nodeName]: contentOf(root, new Set(lists), 0) }
  },
})

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

const SelectXml = z.strictObject({
  xpath: z.string().min(1).describe('XPath 1.0, such as //l:book/@id'),
  namespaces: z.record(z.string(), z.string().min(1)).default({}).describe('prefix: address, for the XPath'),
  single: z.boolean().default(false).describe('give the first match alone; fails when there is none'),
  raw: z.boolean().default(false).describe('give elements as XML, not as their text'),
})

export const selectXml = defineStep({
  name: 'select_xml',
  aliases: ['select-xml'],
  doc: 'Give what an XPath finds in XML: the text of elements and attributes as a list, or a number, text or truth value.',
  needs: [],
  effect: 'pure',
  schema: z.union([
    z
      .string()
      .min(1)
      .transform(xpath => SelectXml.parse({ xpath })),
    SelectXml,
  ]),
  example: { xpath: '//l:book[@id > 1]/l:title', namespaces: { l: 'urn:l' } },
  exampleInput: LIBRARY,
  exampleOutput: ['Roads'],
  run: async ({ data }, params) => {
    const document = await parseDocument(textOf(data, 'select_xml'))
    const found = await evaluateXpath(document, params)
    if (!Array.isArray(found)) return found
    const values = found.map(node => (params.raw ? String(node) : (node.textContent ?? '')))
    if (!params.single) return values
    if (values[0] === undefined)
      throw new Failure('select_missed', {
        path: params.xpath,
        at: params.xpath,
        keys: [document.documentElement?.nodeName ?? ''],
      })
    return values[0]
  },
})

async function evaluateXpath(
  document: Document,
  { xpath, namespaces }: z.output<typeof SelectXml>,
): Promise<readonly Node[] | string | number | boolean> {
  const { useNamespaces } = (await import('xpath')).default
  numberNodes(document)
  try {
    // The library is typed for the DOM of browsers; xmldom's nodes are what it is made for.
    return useNamespaces(namespaces)(xpath, document as never) as unknown as
      | Node[]
      | string
      | number
      | boolean
  } catch (cause) {
    throw parseFailure(`The XPath "${xpath}"`, cause)
  }
}

/** Entities of the document's own are never expanded; what is no XML fails. */
async function parseDocument(text: string): Promise<Document> {
  const { DOMParser } = await import('@xmldom/xmldom')
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
