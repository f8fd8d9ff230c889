import { PageFailure } from './failure.ts'
import { compilePattern, type Pattern } from './pattern.ts'
import { isRef } from './refs.ts'
import { UNSEEN } from './text.ts'

/** The target grammar of shared/values.ts, parsed. */
export type Target =
  | { kind: 'ref'; ref: string }
  | { kind: 'css'; selector: string }
  | { kind: 'xpath'; path: string }
  | { kind: 'text'; match: TextMatch }
  | { kind: 'label'; match: TextMatch }
  | { kind: 'testid'; id: string }
  | { kind: 'attribute'; name: string; match: TextMatch }
  | { kind: 'chain'; steps: ChainStep[] }
  | { kind: 'role'; role: string; name: TextMatch | null; states: StateTest[] }

/** `nth` picks one of what the steps before it found; below 0 it counts from the end. */
export type ChainStep = Exclude<Target, { kind: 'chain' }> | { kind: 'nth'; index: number }

export interface TextMatch {
  /** As it was asked, for ranking what is near. */
  text: string
  /** Quoted: the whole text, case and all. Else a part of it, in any case; the whole text is better. */
  exact: boolean
  /** From /…/; then `text` is only for show. */
  pattern: Pattern | null
}

export interface StateTest {
  state: 'checked' | 'disabled' | 'expanded' | 'pressed' | 'selected' | 'level'
  value: string
}

const PREFIX = /^(css|text|label|role|testid|xpath|ref|placeholder|alt|title|data-[a-z][\w-]*)=/

/** Between the steps of a chain; not within double quotes. */
const THEN = /\s*>>\s*(?=(?:[^"]*"[^"]*")*[^"]*$)/

/** @throws invalid_args for what is not in the grammar */
export function parseTarget(target: string): Target {
  const steps = target.trim().split(THEN)
  if (steps.length === 1) return parseOne(target, target)
  return { kind: 'chain', steps: steps.map(step => parseStep(step, target)) }
}

function parseStep(step: string, target: string): ChainStep {
  const index = /^nth=(-?\d+)$/.exec(step)?.[1]
  if (index !== undefined) return { kind: 'nth', index: Number(index) }
  return parseOne(step, target) as ChainStep
}

function parseOne(step: string, target: string): Target {
  const text = step.trim()
  if (isRef(text)) return { kind: 'ref', ref: text }
  const prefix = PREFIX.exec(text)?.[1]
  const rest = prefix ? text.slice(prefix.length + 1).trim() : text
  if (prefix && rest === '') throw invalidTarget(target, `nothing follows ${prefix}=`)
  switch (prefix) {
    case 'ref':
      if (!isRef(rest)) throw invalidTarget(target, 'a ref looks like d1e12')
      return { kind: 'ref', ref: rest }
    case 'text':
    case 'label':
      return { kind: prefix, match: textMatch(rest, target) }
    case 'testid':
      return { kind: 'testid', id: unquote(rest) }
    case 'role':
      return parseRole(rest, target)
    case 'xpath':
      return { kind: 'xpath', path: rest }
    case 'placeholder':
    case 'alt':
    case 'title':
      return { kind: 'attribute', name: prefix, match: textMatch(rest, target) }
    default:
      if (prefix?.startsWith('data-'))
        return { kind: 'attribute', name: prefix, match: { text: unquote(rest), exact: true, pattern: null } }
      return /^\(*\/\//.test(rest) ? { kind: 'xpath', path: rest } : { kind: 'css', selector: rest }
  }
}

export const invalidTarget = (target: string, problem: string): PageFailure =>
  PageFailure.of('invalid_args', { operation: 'browser', problems: [`target ${target}: ${problem}`] })

export function textMatch(text: string, target: string): TextMatch {
  const pattern = /^\/(.+)\/([imsu]*)$/.exec(text)
  if (pattern?.[1]) return { text, exact: false, pattern: compile(pattern[1], pattern[2] ?? '', target) }
  const plain = unquote(text)
  // Nobody can tell spaces that do not break from others, nor see soft hyphens.
  return { text: plain.replaceAll('\u00a0', ' ').replace(UNSEEN, ''), exact: plain !== text, pattern: null }
}

function compile(source: string, flags: string, target: string): Pattern {
  try {
    return compilePattern(source, flags)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw invalidTarget(target, `is no regular expression: ${error.message}`)
  }
}

function unquote(text: string): string {
  const quoted = /^(["'])([\s\S]*)\1$/.exec(text)
  return quoted?.[2] === undefined ? text : quoted[2].replace(/\\(["'\\])/g, '$1')
}

const ATTRIBUTE =
  /^\s*\[\s*([a-z]+)\s*(?:=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/(?:[^/\\]|\\.)+\/[imsu]*|[^\]]*?)\s*)?\]/

const STATES = new Set(['checked', 'disabled', 'expanded', 'pressed', 'selected', 'level'])

/** `button[name="Save"][disabled]` */
function parseRole(text: string, target: string): Target {
  const role = /^[a-zA-Z-]+/.exec(text)?.[0]
  if (!role) throw invalidTarget(target, 'a role is a word, as in role=button[name="Save"]')
  let rest = text.slice(role.length)
  let name: TextMatch | null = null
  const states: StateTest[] = []
  while (rest.trim() !== '') {
    const attribute = ATTRIBUTE.exec(rest)
    const key = attribute?.[1] ?? ''
    if (!attribute) throw invalidTarget(target, `"${rest.trim()}" is not an attribute such as [name="Save"]`)
    if (key === 'name') name = textMatch(attribute[2] ?? '', target)
    else if (STATES.has(key)) states.push({ state: key as StateTest['state'], value: attribute[2] ?? 'true' })
    else throw invalidTarget(target, `[${key}] is none of name, ${[...STATES].join(', ')}`)
    rest = rest.slice(attribute[0].length)
  }
  return { kind: 'role', role: role.toLowerCase(), name, states }
}

/** 0: it does not fit. 1: a part fits. 2: the whole text, but for case. 3: the whole text. */
export function fitOf(match: TextMatch, text: string): 0 | 1 | 2 | 3 {
  if (match.pattern) return match.pattern.test(text) ? 3 : 0
  if (text === match.text) return 3
  if (match.exact || match.text === '') return 0
  const lower = text.toLowerCase()
  const wanted = match.text.toLowerCase()
  if (lower === wanted) return 2
  return lower.includes(wanted) ? 1 : 0
}
