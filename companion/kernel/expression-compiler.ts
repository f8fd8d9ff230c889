import { Failure } from '../../shared/failures.ts'
import { excerpt, expressionFault } from './expression-fault.ts'
import type { Fuel } from './expression-fuel.ts'
import { type Node, placeOf } from './expression-parser.ts'
import { compare, equal, keyOf, own, ownNamed, text, toNumber, truthy } from './expression-values.ts'
import { type Filter, paramCounts } from './filters/filter.ts'
import { FILTER_NAMES, FILTERS_BY_NAME } from './filters.ts'
import { didYouMean, nearestName } from './nearest.ts'
import { compilePattern } from './pattern.ts'

export interface Frame {
  readonly scope: Record<string, unknown>
  readonly fuel: Fuel
}
export type Evaluate = (frame: Frame) => unknown

/** Fails with expression_error for what can be known to be wrong before there is data. */
export const compileNode = (node: Node, source: string): Evaluate => new Compiler(source).node(node)

/** A global of other template languages that people write for null. */
const NOTHING = 'undefined'

class Compiler {
  readonly #source: string
  /** Chains with a ?. in them; in a?.b.c the whole chain ends there, as in JavaScript. */
  readonly #mayEnd = new Set<Node>()

  constructor(source: string) {
    this.#source = source
  }

  node(node: Node): Evaluate {
    switch (node.type) {
      case 'Literal':
        return constant(node.value)
      case 'Identifier':
        return this.#identifier(node)
      case 'MemberExpression':
        return this.#member(node)
      case 'ConditionalExpression':
        return this.#conditional(node)
      case 'UnaryExpression':
        return this.#unary(node)
      case 'BinaryExpression':
        return this.#binary(node)
      case 'ArrayExpression':
        return this.#list(node)
      case 'ObjectExpression':
        return this.#object(node)
      case 'CallExpression':
        throw this.#fault(node, 'only filters can be called, after a |')
      default:
        throw this.#fault(node, `${node.type} is not allowed`)
    }
  }

  #identifier(node: Node): Evaluate {
    const name = String(node.name)
    if (name === NOTHING) return constant(null)
    const isInherited = name in Object.prototype
    return ({ scope }) => {
      const value = scope[name]
      if (value !== undefined && !isInherited) return value
      if (!Object.hasOwn(scope, name)) throw this.#unknownName(node, name, Object.keys(scope))
      return value ?? null
    }
  }

  #unknownName(node: Node, name: string, known: readonly string[]): Failure {
    const near = nearestName(name, known)
    const hint = near === null ? `there is ${known.join(', ')}` : `did you mean "${near}"?`
    return this.#fault(node, `there is no "${excerpt(name)}" here; ${hint}`)
  }

  #member(node: Node): Evaluate {
    const holder = child(node, 'object')
    const property = child(node, 'property')
    const object = this.node(holder)
    const key = node.computed === true ? this.node(property) : constant(property.name)
    const mayEnd = node.optional === true || this.#mayEnd.has(holder)
    if (mayEnd) this.#mayEnd.add(node)
    const isEnvironment = holder.type === 'Identifier' && holder.name === 'env'
    if (node.computed !== true && !isEnvironment) return this.#field(property, object, mayEnd)
    return frame => {
      const value = object(frame)
      const name = key(frame)
      if (value === null || value === undefined) {
        if (mayEnd) return null
        throw this.#askedOfNothing(property, name)
      }
      if (isEnvironment) this.#checkDeclared(property, value, name)
      return own(value, name)
    }
  }

  #field(property: Node, object: Evaluate, mayEnd: boolean): Evaluate {
    const name = String(property.name)
    const read = ownNamed(name)
    return frame => {
      const value = object(frame)
      if (value !== null && value !== undefined) return read(value)
      if (mayEnd) return null
      throw this.#askedOfNothing(property, name)
    }
  }

  #askedOfNothing(node: Node, name: unknown): Failure {
    return this.#fault(node, `"${excerpt(keyOf(name))}" is asked of nothing (null)`)
  }

  /** Elsewhere a missing field is null; of the environment there is only what the adapter says that it reads. */
  #checkDeclared(node: Node, environment: object, name: unknown): void {
    if (Object.hasOwn(environment, keyOf(name))) return
    const known = Object.keys(environment)
    const hint = known.length === 0 ? 'it declares none' : didYouMean(keyOf(name), known)
    throw this.#fault(
      node,
      `the adapter does not declare "${excerpt(keyOf(name))}" under its key env; ${hint}`,
    )
  }

  #conditional(node: Node): Evaluate {
    const test = this.node(child(node, 'test'))
    const yes = this.node(child(node, 'consequent'))
    const no = this.node(child(node, 'alternate'))
    return frame => (truthy(test(frame)) ? yes(frame) : no(frame))
  }

  #unary(node: Node): Evaluate {
    const value = this.node(child(node, 'argument'))
    switch (node.operator) {
      case '!':
        return frame => !truthy(value(frame))
      case '-':
        return frame => -toNumber(value(frame))
      default:
        return frame => toNumber(value(frame))
    }
  }

  #binary(node: Node): Evaluate {
    const operator = String(node.operator)
    const left = this.node(child(node, 'left'))
    if (operator === '|') return this.#pipe(left, child(node, 'right'))
    const right = this.node(child(node, 'right'))
    switch (operator) {
      case '||':
        return frame => {
          const value = left(frame)
          return truthy(value) ? value : right(frame)
        }
      case '&&':
        return frame => {
          const value = left(frame)
          return truthy(value) ? right(frame) : value
        }
      case '??':
        return frame => left(frame) ?? right(frame)
      case '+':
        return this.#plus(node, left, right)
      default:
        return plain(operator, left, right)
    }
  }

  #plus(node: Node, left: Evaluate, right: Evaluate): Evaluate {
    return frame => {
      const a = left(frame)
      const b = right(frame)
      if (typeof a === 'number' && typeof b === 'number') return a + b
      const joined = text(a) + text(b)
      this.#guarded(node, () => frame.fuel.spend(joined.length))
      return joined
    }
  }

  #pipe(input: Evaluate, node: Node): Evaluate {
    const isCall = node.type === 'CallExpression'
    const named = isCall ? child(node, 'callee') : node
    const name = String(named.name)
    if (named.type !== 'Identifier') throw this.#fault(node, 'after a | comes the name of a filter')
    const filter = FILTERS_BY_NAME.get(name)
    if (filter === undefined)
      throw this.#fault(named, `there is no filter "${excerpt(name)}"; ${filterHint(name)}`)
    const given = isCall ? children(node, 'arguments') : []
    this.#checkArguments(named, name, filter, given)
    const args = given.map(argument => this.node(argument))
    const { run } = filter
    const [only] = args
    if (args.length === 0)
      return frame => this.#run(named, name, () => run(input(frame), NO_ARGS, frame.fuel))
    if (args.length === 1 && only !== undefined)
      return frame => this.#run(named, name, () => run(input(frame), [only(frame)], frame.fuel))
    return frame =>
      this.#run(named, name, () =>
        run(
          input(frame),
          args.map(argument => argument(frame)),
          frame.fuel,
        ),
      )
  }

  #checkArguments(node: Node, name: string, filter: Filter, given: readonly Node[]): void {
    const { least, most } = paramCounts(filter)
    if (given.length < least || given.length > most)
      throw this.#fault(
        node,
        `the filter ${name} takes (${filter.params.join(', ')}), and here are ${given.length} arguments`,
      )
    const [pattern] = given
    if (filter.pattern === true && pattern?.type === 'Literal')
      this.#run(pattern, name, () => compilePattern(text(pattern.value)))
  }

  #run<T>(node: Node, name: string, run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (Failure.is(error)) throw error
      throw this.#fault(node, `${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #guarded(node: Node, run: () => void): void {
    try {
      run()
    } catch (error) {
      throw this.#fault(node, error instanceof Error ? error.message : String(error))
    }
  }

  #list(node: Node): Evaluate {
    const items = children(node, 'elements').map(element => this.node(element))
    return frame => items.map(item => item(frame))
  }

  #object(node: Node): Evaluate {
    const fields = children(node, 'properties').map(property => {
      if (property.type !== 'Property') throw this.#fault(property, 'an object holds pairs such as { a: 1 }')
      const key = child(property, 'key')
      const isComputed = property.computed === true
      if (!isComputed && key.type !== 'Identifier' && key.type !== 'Literal')
        throw this.#fault(key, 'the name of a field is a word, a text, or an expression in [ ]')
      const name = isComputed ? this.node(key) : constant(key.name ?? key.value)
      return [name, this.node(property.shorthand === true ? key : child(property, 'value'))] as const
    })
    // fromEntries makes even "__proto__" an ordinary own key.
    return frame => Object.fromEntries(fields.map(([name, value]) => [keyOf(name(frame)), value(frame)]))
  }

  #fault(node: Node, reason: string): Failure {
    return expressionFault(this.#source, placeOf(node), reason)
  }
}

const NO_ARGS: readonly unknown[] = []

const constant =
  (value: unknown): Evaluate =>
  () =>
    value

function plain(operator: string, left: Evaluate, right: Evaluate): Evaluate {
  switch (operator) {
    case '==':
    case '===':
      return frame => equal(left(frame), right(frame))
    case '!=':
    case '!==':
      return frame => !equal(left(frame), right(frame))
    case '<':
      return frame => compare(left(frame), right(frame)) < 0
    case '>':
      return frame => compare(left(frame), right(frame)) > 0
    case '<=':
      return frame => compare(left(frame), right(frame)) <= 0
    case '>=':
      return frame => compare(left(frame), right(frame)) >= 0
    case '-':
      return frame => toNumber(left(frame)) - toNumber(right(frame))
    case '*':
      return frame => toNumber(left(frame)) * toNumber(right(frame))
    case '/':
      return frame => toNumber(left(frame)) / toNumber(right(frame))
    default:
      return frame => toNumber(left(frame)) % toNumber(right(frame))
  }
}

const filterHint = (name: string): string => {
  const near = nearestName(name, FILTER_NAMES)
  return near === null ? 'docs/reference/expressions.md lists them' : `did you mean "${near}"?`
}

// jsep's node types are unions that TypeScript cannot narrow by a computed field; these two read them safely.
const child = (node: Node, key: string): Node => (node[key] as Node | null | undefined) ?? MISSING
/** A hole, as in [1,,2], is null in jsep's lists. */
const children = (node: Node, key: string): Node[] =>
  ((node[key] as (Node | null)[] | undefined) ?? []).map(each => each ?? MISSING)
const MISSING: Node = { type: 'Literal', value: null, at: 0 }
