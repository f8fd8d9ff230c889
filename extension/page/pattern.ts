/**
 * Regular expressions in time linear in the text: those of an engine that backtracks can be made to hold a page for
 * ever. JavaScript's syntax without lookaround and backreferences. What matches a single character is left to the
 * engine; how these follow each other is walked with all ways at once, as Thompson did.
 */
export interface Pattern {
  test(text: string): boolean
}

type Node =
  | { kind: 'char'; fits: (char: string) => boolean }
  | { kind: 'edge'; at: '^' | '$' | 'b' | 'B' }
  | { kind: 'all'; parts: Node[] }
  | { kind: 'any'; ways: Node[] }
  | { kind: 'repeat'; of: Node; least: number; most: number }

/** Of a program: a test of a character, an edge, two ways, or the end. */
type Step =
  | { op: 'char'; fits: (char: string) => boolean }
  | { op: 'edge'; at: '^' | '$' | 'b' | 'B' }
  | Split
  | { op: 'match' }

interface Split {
  op: 'split'
  to: number
  or: number
}

const MAX_STEPS = 5000
const MAX_REPEAT = 200

/** @throws SyntaxError */
export function compilePattern(source: string, flags: string): Pattern {
  const steps = assemble(new Parser(source, flags).parse())
  const many = flags.includes('m')
  return { test: text => runs(steps, [...text], many) }
}

class Parser {
  readonly #chars: string[]
  readonly #flags: string
  #at = 0

  constructor(source: string, flags: string) {
    this.#chars = [...source]
    this.#flags = `${flags.replace(/[^is]/g, '')}u`
  }

  parse(): Node {
    const node = this.#ways()
    if (this.#at < this.#chars.length) throw new SyntaxError('unmatched )')
    return node
  }

  #ways(): Node {
    const ways = [this.#sequence()]
    while (this.#takes('|')) ways.push(this.#sequence())
    const [only] = ways
    return only && ways.length === 1 ? only : { kind: 'any', ways }
  }

  #sequence(): Node {
    const parts: Node[] = []
    while (this.#at < this.#chars.length && !'|)'.includes(this.#next()))
      parts.push(this.#repeated(this.#atom()))
    return { kind: 'all', parts }
  }

  #atom(): Node {
    const char = this.#next()
    if (char === '(') return this.#group()
    this.#at += 1
    if (char === '^' || char === '$') return { kind: 'edge', at: char }
    if ('*+?'.includes(char)) throw new SyntaxError(`nothing to repeat before ${char}`)
    if (char === '\\') return this.#escape()
    if (char === '[') return this.#class()
    return this.#single(char === '.' ? '.' : char.replace(/[{}\]/]/, '\\$&'))
  }

  #group(): Node {
    this.#at += 1
    if (this.#takes('?')) {
      const named = this.#rest().match(/^<[A-Za-z_]\w*>/)?.[0]
      if (named) this.#at += named.length
      else if (!this.#takes(':')) throw new SyntaxError('lookaround is not supported')
    }
    const node = this.#ways()
    if (!this.#takes(')')) throw new SyntaxError('unclosed (')
    return node
  }

  #escape(): Node {
    const rest = this.#rest()
    const edge = /^[bB]/.exec(rest)?.[0]
    if (edge) {
      this.#at += 1
      return { kind: 'edge', at: edge as 'b' | 'B' }
    }
    if (/^[1-9k]/.test(rest)) throw new SyntaxError('backreferences are not supported')
    const escaped = /^(?:p|P)\{[^}]*\}|^u\{[\da-fA-F]+\}|^u[\da-fA-F]{4}|^x[\da-fA-F]{2}|^[\s\S]/u.exec(
      rest,
    )?.[0]
    if (!escaped) throw new SyntaxError('\\ at the end')
    this.#at += [...escaped].length
    // What needs no escaping may be escaped all the same.
    return this.#single(/^[^\w^$\\.*+?()[\]{}|/]/u.test(escaped) ? escaped : `\\${escaped}`)
  }

  #class(): Node {
    const body = /^\^?(?:\\[\s\S]|[^\]\\])*\]/u.exec(this.#rest())?.[0]
    if (!body) throw new SyntaxError('unclosed [')
    this.#at += [...body].length
    return this.#single(`[${body}`)
  }

  #single(source: string): Node {
    const one = new RegExp(`^(?:${source})$`, this.#flags)
    return { kind: 'char', fits: char => one.test(char) }
  }

  #repeated(of: Node): Node {
    const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(this.#rest())
    if (!found) return of
    const [all, sign, from = '0', comma, to] = found
    this.#at += all.length
    const least = sign ? (sign === '+' ? 1 : 0) : Number(from)
    const most = sign ? (sign === '?' ? 1 : Number.POSITIVE_INFINITY) : upper(least, comma, to)
    if (least > MAX_REPEAT || (most !== Number.POSITIVE_INFINITY && most > MAX_REPEAT) || most < least)
      throw new SyntaxError(`${all} is not a number of times up to ${MAX_REPEAT}`)
    return { kind: 'repeat', of, least, most }
  }

  #next = (): string => this.#chars[this.#at] ?? ''
  #rest = (): string => this.#chars.slice(this.#at).join('')

  #takes(char: string): boolean {
    if (this.#next() !== char) return false
    this.#at += 1
    return true
  }
}

function upper(least: number, comma: string | undefined, to: string | undefined): number {
  if (to) return Number(to)
  return comma ? Number.POSITIVE_INFINITY : least
}

function assemble(node: Node): Step[] {
  const program = new Program()
  program.emit(node)
  program.add({ op: 'match' })
  return program.steps
}

class Program {
  readonly steps: Step[] = []

  add(step: Step): void {
    if (this.steps.length >= MAX_STEPS) throw new SyntaxError('too long')
    this.steps.push(step)
  }

  emit(node: Node): void {
    if (node.kind === 'char') this.add({ op: 'char', fits: node.fits })
    else if (node.kind === 'edge') this.add({ op: 'edge', at: node.at })
    else if (node.kind === 'all') for (const part of node.parts) this.emit(part)
    else if (node.kind === 'any') this.#ways(node.ways)
    else this.#repeat(node)
  }

  /** Goes on with the next step, or with one that is set later. */
  #split(): Split {
    const step: Split = { op: 'split', to: this.steps.length + 1, or: 0 }
    this.add(step)
    return step
  }

  #ways(ways: readonly Node[]): void {
    const ends: Split[] = []
    for (const [index, way] of ways.entries()) {
      const here = index < ways.length - 1 ? this.#split() : null
      this.emit(way)
      if (!here) break
      ends.push(this.#split())
      here.or = this.steps.length
    }
    for (const end of ends) end.to = end.or = this.steps.length
  }

  #repeat({ of, least, most }: Extract<Node, { kind: 'repeat' }>): void {
    for (let count = 0; count < least; count += 1) this.emit(of)
    const exits: Split[] = []
    if (most === Number.POSITIVE_INFINITY) {
      const start = this.steps.length
      exits.push(this.#split())
      this.emit(of)
      const back = this.#split()
      back.to = back.or = start
    } else {
      for (let count = least; count < most; count += 1) {
        exits.push(this.#split())
        this.emit(of)
      }
    }
    for (const exit of exits) exit.or = this.steps.length
  }
}

/** True when the program matches anywhere in the text. */
function runs(steps: readonly Step[], chars: readonly string[], many: boolean): boolean {
  let now = new Set<number>()
  for (let at = 0; at <= chars.length; at += 1) {
    now.add(0)
    const reached = closure(steps, now, { chars, at, many })
    if (reached === null) return true
    now = new Set()
    const char = chars[at]
    if (char === undefined) return false
    for (const index of reached) {
      const step = steps[index]
      if (step?.op === 'char' && step.fits(char)) now.add(index + 1)
    }
  }
  return false
}

interface Place {
  chars: readonly string[]
  at: number
  many: boolean
}

/** Every step that is reached without taking a character; null when that is the end. */
function closure(steps: readonly Step[], from: ReadonlySet<number>, place: Place): Set<number> | null {
  const reached = new Set<number>()
  const open = [...from]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (reached.has(index)) continue
    reached.add(index)
    const step = steps[index]
    if (step?.op === 'match') return null
    if (step?.op === 'split') open.push(step.to, step.or)
    else if (step?.op === 'edge' && isEdge(step.at, place)) open.push(index + 1)
  }
  return reached
}

function isEdge(edge: '^' | '$' | 'b' | 'B', { chars, at, many }: Place): boolean {
  const [before, after] = [chars[at - 1], chars[at]]
  if (edge === '^') return before === undefined || (many && before === '\n')
  if (edge === '$') return after === undefined || (many && after === '\n')
  const isBoundary = /\w/.test(before ?? '') !== /\w/.test(after ?? '')
  return isBoundary === (edge === 'b')
}
