import { z } from 'zod'
import { type Pattern, parsePattern } from '../kernel/pattern.ts'

/** A regular expression in an option: RE2's syntax, or `/…/i` with flags. Faults show when the adapter is loaded. */
export const Regex = z
  .string()
  .min(1)
  .superRefine((source, context) => {
    const problem = problemOf(source)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })

function problemOf(source: string): string | null {
  try {
    parsePattern(source)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The text of the first group that took part, of the whole match where the pattern has none, or null. */
export function firstGroup(source: string, text: string): string | null {
  const match = parsePattern(source).find(text)
  if (match === null) return null
  const [whole, ...groups] = match.groups
  return groups.find(group => group !== null) ?? whole ?? null
}

/** The text without any match. */
export function removeAll(source: string, text: string): string {
  const pattern = parsePattern(source)
  let out = ''
  let at = 0
  for (const { start, end } of matchesOf(pattern, text)) {
    out += text.slice(at, start)
    at = end
  }
  return out + text.slice(at)
}

function* matchesOf(pattern: Pattern, text: string): Generator<{ start: number; end: number }> {
  let from = 0
  for (;;) {
    const match = pattern.find(text, from)
    if (match === null) return
    if (match.end > match.start) yield match
    from = Math.max(match.end, match.start + 1)
  }
}
