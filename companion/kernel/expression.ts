import object from '@jsep-plugin/object'
import jsep from 'jsep'
import { Failure } from '../../shared/failures.ts'
import { FILTERS, text } from './filters.ts'

/**
 * Expressions inside `${{ }}`. jsep parses; this file evaluates what it gives, and nothing else: own properties
 * only, no calls but filters, no host objects, no assignment. Member access on null is an error (that is how
 * drift shows itself); `?.` says that it may be null.
 */
const MAX_CHARS = 4000
const QUOTED_CHARS = 200
const OPERATORS = [
  '||',
  '??',
  '&&',
  '|',
  '==',
  '!=',
  '===',
  '!==',
  '<',
  '>',
  '<=',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
]
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

interface Node {
  type: string
  [key: string]: unknown
}

/** A parsed expression; evaluating it twice on the same scope gives the same value. */
export interface Expression {
  source: string
  root: Node
}

export function parseExpression(source: string): Expression {
  if (source.length > MAX_CHARS) throw fault(source, MAX_CHARS, `it is longer than ${MAX_CHARS} characters`)
  try {
    const root = jsep(source) as unknown as Node
    if (root.type === 'Compound') throw fault(source, 0, 'it must be one expression')
    return { source, root }
  } catch (error) {
    if (Failure.is(error)) throw error
    if (error instanceof RangeError) throw fault(source, 0, 'it is nested too deeply')
    const at = error instanceof Error && 'index' in error && typeof error.index === 'number' ? error.index : 0
    const text = error instanceof Error ? error.message.replace(/ at character \d+$/, '') : String(error)
    throw fault(source, at, text)
  }
}

export function evaluateExpression(expression: Expression, scope: Record<string, unknown>): unknown {
  try {
    return new Evaluator(expression.source, scope).value(expression.root)
  } catch (error) {
    if (error instanceof RangeError) throw fault(expression.source, 0, 'it is nested too deeply')
    throw error
  }
}

const fault = (expression: string, at: number, reason: string): Failure =>
  new Failure('expression_error', { expression: expression.slice(0, QUOTED_CHARS), at, reason })

class Evaluator {
  readonly #source: string
  readonly #scope: Record<string, unknown>

  constructor(source: string, scope: Record<string, unknown>) {
    this.#source = source
    this.#scope = scope
  }

  value(node: Node): unknown {
    switch (node.type) {
      case 'Literal':
        return node.value
      case 'Identifier':
        return this.#identifier(String(node.name))
      case 'MemberExpression':
        return this.#member(node)
      case 'ConditionalExpression':
        return truthy(this.value(child(node, 'test')))
          ? this.value(child(node, 'consequent'))
          : this.value(child(node, 'alternate'))
      case 'UnaryExpression':
        return this.#unary(String(node.operator), this.value(child(node, 'argument')))
      case 'BinaryExpression':
        return this.#binary(node)
      case 'ArrayExpression':
        return children(node, 'elements').map(element => this.value(element))
      case 'ObjectExpression':
        return this.#object(node)
      default:
        throw this.#fault(
          node,
          node.type === 'CallExpression'
            ? 'only filters can be called, after a |'
            : `${node.type} is not allowed`,
        )
    }
  }

  #identifier(name: string): unknown {
    if (name === 'undefined') return null
    if (!Object.hasOwn(this.#scope, name)) {
      const known = Object.keys(this.#scope).join(', ')
      throw fault(this.#source, this.#source.indexOf(name), `there is no "${name}" here; there is ${known}`)
    }
    return this.#scope[name] ?? null
  }

  #member(node: Node): unknown {
    const object = this.value(child(node, 'object'))
    const property = child(node, 'property')
    const key = node.computed === true ? this.value(property) : property.name
    if (object === null || object === undefined) {
      // In a?.b.c the whole chain ends at the ?., as in JavaScript.
      if (node.optional === true || endsOptional(child(node, 'object'))) return null
      throw this.#fault(node, `"${String(key)}" is asked of nothing (null)`)
    }
    return own(object, key)
  }

  #unary(operator: string, value: unknown): unknown {
    if (operator === '!') return !truthy(value)
    const number = toNumber(value)
    return operator === '-' ? -number : number
  }

  #binary(node: Node): unknown {
    const operator = String(node.operator)
    const left = this.value(child(node, 'left'))
    if (operator === '|') return this.#filter(left, child(node, 'right'))
    if (operator === '||') return truthy(left) ? left : this.value(child(node, 'right'))
    if (operator === '&&') return truthy(left) ? this.value(child(node, 'right')) : left
    if (operator === '??') return left ?? this.value(child(node, 'right'))
    return binary(operator, left, this.value(child(node, 'right')))
  }

  #filter(input: unknown, node: Node): unknown {
    const call = node.type === 'CallExpression'
    const name = String((call ? child(node, 'callee') : node).name)
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined
    if (filter === undefined) throw this.#fault(node, `there is no filter "${name}"`)
    const args = call ? children(node, 'arguments').map(argument => this.value(argument)) : []
    try {
      return filter.run(input, ...args)
    } catch (error) {
      throw this.#fault(node, `${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #object(node: Node): Record<string, unknown> {
    // fromEntries makes even "__proto__" an ordinary own key.
    return Object.fromEntries(
      children(node, 'properties').map(property => {
        const key = child(property, 'key')
        const name = property.computed === true ? this.value(key) : (key.name ?? key.value)
        return [String(name), this.value(property.shorthand === true ? key : child(property, 'value'))]
      }),
    )
  }

  #fault(node: Node, reason: string): Failure {
    const name = node.name ?? (node.property as Node | undefined)?.name
    const at = typeof name === 'string' ? this.#source.indexOf(name) : 0
    return fault(this.#source, Math.max(at, 0), reason)
  }
}

// jsep's node types are unions that TypeScript cannot narrow by a computed field; these two read them safely.
const child = (node: Node, key: string): Node => node[key] as Node
const children = (node: Node, key: string): Node[] => (node[key] as Node[] | undefined) ?? []

const endsOptional = (node: Node): boolean =>
  node.type === 'MemberExpression' && (node.optional === true || endsOptional(child(node, 'object')))

function own(object: unknown, key: unknown): unknown {
  if (typeof object === 'string') {
    if (key === 'length') return object.length
    return typeof key === 'number' ? (object[key] ?? null) : null
  }
  if (typeof object !== 'object' || object === null) return null
  if (Array.isArray(object) && typeof key === 'number') return object.at(key) ?? null
  const name = String(key)
  return Object.hasOwn(object, name) ? ((object as Record<string, unknown>)[name] ?? null) : null
}

/** Empty text, zero, null, false and NaN are false, as in JavaScript; so is an empty list, as people expect. */
export const truthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

const toNumber = (value: unknown): number =>
  typeof value === 'number'
    ? value
    : typeof value === 'string' && value.trim() !== ''
      ? Number(value)
      : value === true
        ? 1
        : 0

function binary(operator: string, left: unknown, right: unknown): unknown {
  switch (operator) {
    case '==':
    case '===':
      return equal(left, right)
    case '!=':
    case '!==':
      return !equal(left, right)
    case '<':
      return compare(left, right) < 0
    case '>':
      return compare(left, right) > 0
    case '<=':
      return compare(left, right) <= 0
    case '>=':
      return compare(left, right) >= 0
    case '+':
      return typeof left === 'number' && typeof right === 'number' ? left + right : text(left) + text(right)
    case '-':
      return toNumber(left) - toNumber(right)
    case '*':
      return toNumber(left) * toNumber(right)
    case '/':
      return toNumber(left) / toNumber(right)
    default:
      return toNumber(left) % toNumber(right)
  }
}

const equal = (left: unknown, right: unknown): boolean => (left ?? null) === (right ?? null)

/** NaN (never less, never greater) unless both are numbers or both are texts; numeric text counts as a number. */
function compare(left: unknown, right: unknown): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  if (left === null || right === null || left === undefined || right === undefined) return Number.NaN
  return toNumber(left) - toNumber(right)
}
