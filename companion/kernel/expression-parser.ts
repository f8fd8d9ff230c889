import object from '@jsep-plugin/object'
import jsep from 'jsep'
import { Failure } from '../../shared/failures.ts'
import { expressionFault } from './expression-fault.ts'

/** jsep reads expressions; here it learns our operators, and to say where each part stands. */
const MAX_CHARS = 4000
/** Deeper than any person nests, and far from the end of the stack. */
const MAX_DEPTH = 100
const OPERATORS = '|| ?? && | == != === !== < > <= >= + - * / %'.split(' ')
// Between comparison (7) and addition (9), with ?? just above: `data | length > 3`, `a + b | upper` and
// `a ?? b | upper` all read as people mean them.
const PIPE_PRECEDENCE = 8
const DEFAULT_PRECEDENCE = 8.5

jsep.plugins.register(object)
for (const operator of Object.keys(jsep.binary_ops))
  if (!OPERATORS.includes(operator)) jsep.removeBinaryOp(operator)
jsep.removeUnaryOp('~')
jsep.addBinaryOp('|', PIPE_PRECEDENCE)
jsep.addBinaryOp('??', DEFAULT_PRECEDENCE)
jsep.removeAllLiterals()
for (const [name, value] of [
  ['true', true],
  ['false', false],
  ['null', null],
] as const)
  jsep.addLiteral(name, value)

export interface Node {
  type: string
  /** 0-based character where it begins; absent where jsep builds a node of others. */
  at?: number
  [key: string]: unknown
}

/** The parts of jsep's parser that are extended; its types leave the class out. */
interface Parser {
  index: number
  gobbleSpaces(): void
  gobbleToken(): Node | false | undefined
  gobbleIdentifier(): Node
  gobbleExpression(): Node | false | undefined
  parse(): Node
}
const { Jsep } = jsep as unknown as { Jsep: new (source: string) => Parser }

class PlacingParser extends Jsep {
  #depth = 0

  override gobbleToken(): Node | false | undefined {
    this.gobbleSpaces()
    const at = this.index
    return this.#deeper(() => placed(super.gobbleToken(), at))
  }

  override gobbleExpression(): Node | false | undefined {
    return this.#deeper(() => super.gobbleExpression())
  }

  override gobbleIdentifier(): Node {
    const at = this.index
    const node = super.gobbleIdentifier()
    node.at = at
    return node
  }

  #deeper<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > 2 * MAX_DEPTH)
      throw Object.assign(new Error('it is nested too deeply'), { index: this.index })
    const node = read()
    this.#depth -= 1
    return node
  }
}

function placed<N extends Node | false | undefined>(node: N, at: number): N {
  if (node) node.at ??= at
  return node
}

/** Where a node stands: jsep's binary, member and call nodes stand where their first part does. */
export function placeOf(node: Node): number {
  if (node.at !== undefined) return node.at
  const first = node.left ?? node.property ?? node.callee ?? node.test
  return typeof first === 'object' && first !== null ? placeOf(first as Node) : 0
}

/** Fails with expression_error. */
export function parseSource(source: string): Node {
  if (source.length > MAX_CHARS)
    throw expressionFault(source, MAX_CHARS, `it is longer than ${MAX_CHARS} characters`)
  try {
    const root = new PlacingParser(source).parse()
    if (root.type !== 'Compound') return root
    const second = (root.body as Node[])[1]
    throw second === undefined
      ? expressionFault(source, 0, 'there is nothing in it')
      : expressionFault(source, placeOf(second), 'it must be one expression, and a second one begins here')
  } catch (error) {
    if (Failure.is(error)) throw error
    const at = error instanceof Error && 'index' in error && typeof error.index === 'number' ? error.index : 0
    const reason = error instanceof Error ? error.message.replace(/ at character \d+$/, '') : String(error)
    throw expressionFault(source, Math.min(at, source.length), reason)
  }
}
