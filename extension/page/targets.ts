import { PageFailure } from './failure.ts'
import { isRef } from './refs.ts'

/** The target grammar of shared/values.ts, parsed. */
export type Target =
  | { kind: 'ref'; ref: string }
  | { kind: 'css'; selector: string }
  | { kind: 'xpath'; path: string }
  | { kind: 'text'; match: TextMatch }
  | { kind: 'label'; match: TextMatch }
  | { kind: 'testid'; id: string }
  | { kind: 'role'; role: string; name: TextMatch | null; states: StateTest[] }

export interface TextMatch {
  /** As it was asked, for ranking what is near. */
  text: string
  /** Quoted: the whole text, case and all. Else a part of it, in any case; the whole text is better. */
  exact: boolean
  /** From /…/; then `text` is only for show. */
  pattern: RegExp | null
}

export interface StateTest {
  state: 'checked' | 'disabled' | 'expanded' | 'pressed' | 'selected' | 'level'
  value: string
}

const PREFIX = /^(css|text|label|role|testid|xpath|ref)=/

/** @throws invalid_args for what is not in the grammar */
export function parseTarget(target: string): Target {
  const text = target.trim()
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
    default:
      return /^\(*\/\//.test(rest) ? { kind: 'xpath', path: rest } : { kind: 'css', selector: rest }
  }
}

export const invalidTarget = (target: string, problem: string): PageFailure =>
  PageFailure.of('invalid_args', { operation: 'browser', problems: [`target ${target}: ${problem}`] })

function textMatch(text: string, target: string): TextMatch {
  const pattern = /^\/(.+)\/([imsu]*)$/.exec(text)
  if (pattern?.[1]) return { text, exact: false, pattern: compile(pattern[1], pattern[2] ?? '', target) }
  const plain = unquote(text)
  return { text: plain, exact: plain !== text, pattern: null }
}

function compile(source: string, flags: string, target: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    throw invalidTarget(target, error instanceof Error ? error.message : String(error))
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
