import { cutToTokens, tokensOf } from '../../shared/tokens.ts'
import type { LineChange } from './line-diff.ts'

/**
 * Changes as text, within a budget of tokens: dialogs and announcements first, then in the order of the page. `+` is
 * new, `~` is now this, `-` is gone, `^` has moved. Where not all has room, what tells most has it.
 *
 * @param rest how to see the rest
 */
export interface ToldChanges {
  text: string
  /** Where not all had room. */
  isCut: boolean
  /** Which lines of now the text tells of. */
  told: number[]
}

const SIGNS = { added: '+', changed: '~', moved: '^', removed: '-' } as const

/** Kept free for the line that says how much more there is. */
const TAIL_TOKENS = 20
const MAX_LINE_TOKENS = 60

export function tellChanges(changes: readonly LineChange[], budget: number, rest: string): ToldChanges {
  const written = changes.map(weighed)
  const total = written.reduce((sum, each) => sum + each.tokens, 0)
  const chosen = total <= budget ? written : mostTelling(written, budget - TAIL_TOKENS)
  const ordered = [
    ...chosen.filter(({ change }) => change.line.announced),
    ...chosen.filter(({ change }) => !change.line.announced),
  ]
  const least = Math.min(...ordered.map(({ change }) => change.line.depth))
  const lines = ordered.map(({ change, body }) => {
    const indent = change.kind === 'added' ? '  '.repeat(Math.min(3, change.line.depth - least)) : ''
    return `${SIGNS[change.kind]} ${indent}${body}`
  })
  const more = changes.length - chosen.length
  if (more > 0) lines.push(`… ${more} more lines changed: ${rest}`)
  const told = chosen.flatMap(({ change }) => change.at ?? [])
  return { text: lines.join('\n'), told, isCut: more > 0 }
}

interface Written {
  change: LineChange
  body: string
  tokens: number
}

function weighed(change: LineChange): Written {
  const body = cutToTokens(change.line.text, MAX_LINE_TOKENS)
  return { change, body, tokens: tokensOf(body) + 2 }
}

function mostTelling(written: readonly Written[], budget: number): Written[] {
  const ranked = [...written.entries()].sort(
    ([left, a], [right, b]) => rank(a.change) - rank(b.change) || left - right,
  )
  const chosen: number[] = []
  let left = budget
  for (const [index, each] of ranked) {
    if (chosen.length > 0 && each.tokens > left) break
    left -= each.tokens
    chosen.push(index)
  }
  return chosen.sort((a, b) => a - b).flatMap(index => written[index] ?? [])
}

/** The less, the more it tells. */
function rank({ kind, line }: LineChange): number {
  if (line.announced && kind !== 'removed') return 0
  if (line.role === 'heading' && kind !== 'removed') return 1
  if (kind === 'changed') return line.ref === null ? 3 : 2
  if (kind === 'added') return line.ref === null ? 5 : 4
  return kind === 'removed' ? 6 : 7
}
