import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

export type YamlPath = readonly (string | number)[]

/** A YAML text whose every value can be traced to its line. */
export interface YamlSource {
  value: unknown
  /** 1-based; of the deepest part of the path that is in the text. */
  lineOf(path: YamlPath): number
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
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) throw new YamlFault(lines.linePos(fault.pos[0]).line, fault.message)
  return { value: plainOf(document), lineOf: path => lines.linePos(offsetOf(document, path)).line }
}

function plainOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 50 })
  } catch (error) {
    // Only an alias that multiplies beyond the count throws here.
    throw new YamlFault(1, error instanceof Error ? error.message : String(error))
  }
}

function offsetOf(document: Document, path: YamlPath): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
  for (const key of path) {
    if (isMap(node)) {
      const pair = node.items.find(item => isScalar(item.key) && String(item.key.value) === String(key))
      if (pair === undefined) return offset
      offset = startOf(pair.key) ?? offset
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(key)]
      offset = startOf(node) ?? offset
    } else return offset
  }
  return offset
}

const startOf = (node: unknown): number | null => (isNode(node) ? (node.range?.[0] ?? null) : null)
