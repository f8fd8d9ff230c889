import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

export type YamlPath = readonly (string | number)[]

/** Where a value stands: its line, or its line and those of what it holds. Plain JSON, so that it can be kept. */
export type Lines = number | [line: number, inner: Record<string, Lines>]

/** A YAML text as a value whose every part can be traced to its line. Plain JSON. */
export interface YamlSource {
  value: unknown
  lines: Lines
}

/** A fault in the text itself. */
export class YamlFault extends Error {
  override readonly name = 'YamlFault'
  readonly line: number
  constructor(line: number, reason: string) {
    super(reason)
    this.line = line
  }
}

/** Reads YAML 1.2 by its core schema (`no` is text), one document, no key twice. Throws YamlFault. */
export function readYaml(text: string): YamlSource {
  const counter = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: counter,
    prettyErrors: false,
    stringKeys: true,
  })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw new YamlFault(counter.linePos(fault.pos[0]).line, fault.message)
  return { value: plainOf(document), lines: linesOf(document.contents, 1, counter) }
}

/** 1-based; of the deepest part of the path that is in the text. */
export function lineAt({ lines }: YamlSource, path: YamlPath): number {
  let at = lines
  for (const key of path) {
    if (typeof at === 'number') return at
    const inner: Lines | undefined = Object.hasOwn(at[1], key) ? at[1][key] : undefined
    if (inner === undefined) return at[0]
    at = inner
  }
  return typeof at === 'number' ? at : at[0]
}

function plainOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    // Only an alias that multiplies beyond the count throws here.
    throw new YamlFault(1, error instanceof Error ? error.message : String(error))
  }
}

/** A key stands where it is written; what it holds may begin further down. */
function linesOf(node: unknown, line: number, counter: LineCounter): Lines {
  if (isMap(node)) {
    const inner = node.items.map(({ key, value }) => [
      isScalar(key) ? String(key.value) : '',
      linesOf(value, lineOf(key, counter) ?? line, counter),
    ])
    return [line, Object.fromEntries(inner)]
  }
  if (!isSeq(node)) return line
  const inner = node.items.map((item, index) => [
    index,
    linesOf(item, lineOf(item, counter) ?? line, counter),
  ])
  return [line, Object.fromEntries(inner)]
}

const lineOf = (node: unknown, counter: LineCounter): number | null =>
  isNode(node) && node.range ? counter.linePos(node.range[0]).line : null
