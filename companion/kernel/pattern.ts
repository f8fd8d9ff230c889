import { type Matcher, RE2JS } from 're2js'

/**
 * Regular expressions that adapters, callers and pages give: RE2's syntax, matched in time linear in the text. V8's
 * own engine backtracks, and a pattern such as (a+)+$ would stop the companion for minutes.
 */
export interface Pattern {
  readonly source: string
  /** How much a character of text costs, against 1 for looking at it. */
  readonly weight: number
  /** Whether it matches anywhere. */
  test(text: string): boolean
  /** Whether it matches the text as a whole. */
  fits(text: string): boolean
  /** The first match at or after `from`. */
  find(text: string, from?: number): PatternMatch | null
  /** Matches in order, found as they are asked for. */
  matches(text: string): Iterable<PatternMatch>
}

export interface PatternMatch {
  start: number
  end: number
  /** The whole first; null for a group that took no part. */
  groups: readonly (string | null)[]
}

const MAX_CHARS = 1000
/** A pattern's compiled size; (a{99}){10} has a thousand instructions, and each may cost at every character. */
const MAX_SIZE = 2000
const TOO_LARGE = 'the pattern is too large; give fewer or smaller repetitions'
const MAX_CACHED = 500
const known = new Map<string, Pattern>()

/**
 * @param flags of i (any case), m (^ and $ at each line), s (. takes line ends too)
 *   Throws Error when it is no pattern of RE2, which has no lookaround and no backreferences.
 */
export function compilePattern(source: string, flags = ''): Pattern {
  const key = `${flags}/${source}`
  const before = known.get(key)
  if (before !== undefined) return before
  const pattern = patternOf(source, flags)
  if (known.size >= MAX_CACHED) known.clear()
  known.set(key, pattern)
  return pattern
}

function patternOf(source: string, flags: string): Pattern {
  if (source.length > MAX_CHARS) throw new Error(`the pattern is longer than ${MAX_CHARS} characters`)
  if (leastSizeOf(source) > MAX_SIZE) throw new Error(TOO_LARGE)
  const compiled = compile(source, flags)
  const size = compiled.programSize()
  if (size > MAX_SIZE) throw new Error(TOO_LARGE)
  return {
    source,
    weight: 20 + 5 * size,
    test: text => compiled.test(text),
    fits: text => compiled.matches(text),
    find(text, from = 0) {
      const matcher = compiled.matcher(text)
      return from <= text.length && matcher.find(from) ? matchOf(matcher) : null
    },
    *matches(text) {
      const matcher = compiled.matcher(text)
      while (matcher.find()) yield matchOf(matcher)
    },
  }
}

const matchOf = (matcher: Matcher): PatternMatch => ({
  start: matcher.start(),
  end: matcher.end(),
  groups: Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index)),
})

function compile(source: string, flags: string): RE2JS {
  let bits = 0
  for (const flag of flags) {
    if (flag === 'i') bits |= RE2JS.CASE_INSENSITIVE
    else if (flag === 'm') bits |= RE2JS.MULTILINE
    else if (flag === 's') bits |= RE2JS.DOTALL
    else if (flag !== 'u' && flag !== 'g') throw new Error(`there is no flag "${flag}"; there are i, m and s`)
  }
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source), bits)
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error)
    throw new Error(`"${source}" is no pattern (${reason})`, { cause: error })
  }
}

/** A token of a pattern: an escape, a class, a count such as {2,5}, or one character. */
const TOKEN = /\\[\s\S]|\[\]?(?:\\[\s\S]|[^\]\\])*\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g

/** How large a pattern becomes at least, told before the engine unrolls its repetitions. */
function leastSizeOf(source: string): number {
  const outer: number[] = []
  let size = 0
  let last = 0
  for (const [token, least, most] of source.matchAll(TOKEN)) {
    if (least !== undefined) {
      const times = Number(most === undefined || most === '' ? least : most)
      size += last * (times - 1)
      last *= times
    } else if (token === '(') {
      outer.push(size)
      size = 0
    } else if (token === ')') {
      last = size
      size += outer.pop() ?? 0
    } else {
      last = 1
      size += 1
    }
  }
  return size
}

/** `/words/i` as a pattern with its flags; any other text as the pattern itself. Throws like compilePattern. */
export function parsePattern(written: string): Pattern {
  const [, source, flags] = /^\/([\s\S]+)\/([ims]*)$/.exec(written) ?? []
  return source === undefined ? compilePattern(written) : compilePattern(source, flags)
}
