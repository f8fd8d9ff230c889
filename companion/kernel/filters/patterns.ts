import { text } from '../expression-values.ts'
import { compilePattern, type Pattern, type PatternMatch } from '../pattern.ts'
import { type Filter, numberOf, textOf } from './filter.ts'

type Fuel = Parameters<Filter['run']>[2]

/** Filters that take a pattern: RE2's syntax, and flags of i, m and s. */
export const PATTERN_FILTERS: Readonly<Record<string, Filter>> = {
  test: {
    doc: 'Whether the pattern matches anywhere in the text.',
    params: ['pattern', 'flags?'],
    example: ["'v1.2' | test('[0-9]+')", true],
    aliases: ['matches'],
    pattern: true,
    run: (v, [pattern, flags], fuel) => {
      const { compiled, all } = prepare(v, pattern, flags, fuel)
      return compiled.test(all)
    },
  },
  extract: {
    doc: 'What the pattern matches first: its group n, which is its first group when it has one. Null without a match.',
    params: ['pattern', 'n?', 'flags?'],
    example: ["'id=42&x=1' | extract('id=([0-9]+)')", '42'],
    pattern: true,
    run: (v, [pattern, n, flags], fuel) => {
      const { compiled, all } = prepare(v, pattern, flags, fuel)
      for (const match of compiled.matches(all)) return groupOf(match, n)
      return null
    },
  },
  extract_all: {
    doc: 'What the pattern matches each time, as extract gives it.',
    params: ['pattern', 'n?', 'flags?'],
    example: ["'a1 b2' | extract_all('[a-z]([0-9])')", ['1', '2']],
    pattern: true,
    run: (v, [pattern, n, flags], fuel) =>
      eachMatch(v, pattern, flags, fuel).found.map(match => groupOf(match, n)),
  },
  match: {
    doc: 'The first match with its groups, as a list; null without one.',
    params: ['pattern', 'flags?'],
    example: ["'2024-05' | match('([0-9]+)-([0-9]+)')", ['2024-05', '2024', '05']],
    pattern: true,
    run: (v, [pattern, flags], fuel) => {
      const { compiled, all } = prepare(v, pattern, flags, fuel)
      for (const match of compiled.matches(all)) return [...match.groups]
      return null
    },
  },
  replace_regex: {
    doc: 'Every match becomes the replacement, in which $1 is its first group and $$ a dollar sign.',
    params: ['pattern', "replacement = ''", 'flags?'],
    example: ["'a1b22' | replace_regex('[0-9]+', '#')", 'a#b#'],
    aliases: ['regex_replace'],
    pattern: true,
    run: (v, [pattern, replacement, flags], fuel) => {
      const { all, found } = eachMatch(v, pattern, flags, fuel)
      const by = textOf(replacement, fuel)
      let made = ''
      let at = 0
      for (const match of found) {
        const piece = by.includes('$') ? filled(by, match) : by
        fuel.spend(by.length + piece.length)
        made += all.slice(at, match.start) + piece
        at = match.end
      }
      return made + all.slice(at)
    },
  },
  split_regex: {
    doc: 'A list of the parts between matches.',
    params: ['pattern', 'flags?'],
    example: ["'a1b22c' | split_regex('[0-9]+')", ['a', 'b', 'c']],
    pattern: true,
    run: (v, [pattern, flags], fuel) => {
      const { all, found } = eachMatch(v, pattern, flags, fuel)
      let at = 0
      const parts = found
        .filter(match => match.end > match.start)
        .map(match => {
          const part = all.slice(at, match.start)
          at = match.end
          return part
        })
      return [...parts, all.slice(at)]
    },
  },
}

function prepare(
  input: unknown,
  pattern: unknown,
  flags: unknown,
  fuel: Fuel,
): { compiled: Pattern; all: string } {
  const source = textOf(pattern, fuel)
  fuel.spend(source.length * 200)
  const compiled = compilePattern(source, flags === undefined || flags === null ? '' : text(flags))
  const all = textOf(input, fuel)
  fuel.spend((all.length + 20) * compiled.weight)
  return { compiled, all }
}

function eachMatch(
  input: unknown,
  pattern: unknown,
  flags: unknown,
  fuel: Fuel,
): { all: string; found: PatternMatch[] } {
  const { compiled, all } = prepare(input, pattern, flags, fuel)
  const found: PatternMatch[] = []
  for (const match of compiled.matches(all)) {
    fuel.spend(compiled.weight * 4)
    if (looksFar(compiled.source)) fuel.spend((all.length - match.end) / 4)
    found.push(match)
  }
  return { all, found }
}

/**
 * Each search is linear, but a pattern such as x*y|x may read all that is left before it settles for one letter, and
 * do so again for the next one. Only patterns with a choice around something unbounded can.
 */
const looksFar = (source: string): boolean => /\||\)[?*+{]/.test(source) && /[*+]|\{\d+,\}/.test(source)

function groupOf({ groups }: PatternMatch, n: unknown): string | null {
  const index = n === undefined || n === null ? Math.min(1, groups.length - 1) : numberOf(n)
  if (index >= groups.length || index < 0)
    throw new Error(`the pattern has no group ${index}; it has ${groups.length - 1}`)
  return groups[index] ?? null
}

const filled = (replacement: string, { groups }: PatternMatch): string =>
  replacement.replaceAll(/\$(\$|&|\d)/g, (_, sign: string) =>
    sign === '$' ? '$' : (groups[sign === '&' ? 0 : Number(sign)] ?? ''),
  )
