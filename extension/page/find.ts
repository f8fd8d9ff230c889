import type { FoundElement } from '../../shared/values.ts'
import { checkLimit, type Limit, nextTask, slice } from './clock.ts'
import { PageFailure } from './failure.ts'
import { foundIn, seenAs } from './found.ts'
import { type Query, type Scored, scoredOf } from './queries.ts'
import type { RefTable } from './refs.ts'
import { isHidden } from './rendering.ts'
import { type TextMatch, textMatch } from './targets.ts'

/** All that is given has to fit. */
export interface FindRequest {
  text: string | null
  /** A regular expression for the text, in the syntax of JavaScript without lookaround and backreferences. */
  regex: string | null
  role: string | null
  name: string | null
  label: string | null
  testid: string | null
  /** Any other target, such as css=. */
  target: string | null
  /** How many are told; all are counted. */
  limit: number
}

export interface FindResult {
  count: number
  found: Omit<FoundElement, 'frame'>[]
}

/** Elements that fit, the best fits first, and then in the order of the page; what is hidden comes last. */
export async function find(
  request: FindRequest,
  byTarget: (target: string) => Element[],
  refs: RefTable,
  limit: Limit,
): Promise<FindResult> {
  const fitting = allFitting(request, byTarget)
  const ranked = fitting
    .map(([element, score], at) => ({ element, at, score: isHidden(element) ? 0 : score }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
  const found: FindResult['found'] = []
  const part = slice()
  for (const { element } of ranked.slice(0, request.limit)) {
    if (part.over()) {
      await nextTask()
      checkLimit(limit)
      part.renew()
    }
    found.push({ ...foundIn(element, refs), seen: seenAs(element) })
  }
  return { count: fitting.length, found }
}

function allFitting(request: FindRequest, byTarget: (target: string) => Element[]): Scored[] {
  const lists = queriesOf(request).map(query => scoredOf(query, 'find'))
  if (request.target !== null) lists.push(byTarget(request.target).map((element): Scored => [element, 3]))
  const [first, ...others] = lists
  if (!first)
    throw PageFailure.of('invalid_args', { operation: 'browser.find', problems: ['say what to find'] })
  const scores = others.map(list => new Map(list))
  return first.flatMap(([element, score]): Scored[] => {
    const rest = scores.map(each => each.get(element) ?? 0)
    return rest.includes(0) ? [] : [[element, Math.min(score, ...rest)]]
  })
}

function queriesOf({ text, regex, role, name, label, testid }: FindRequest): Query[] {
  const queries: Query[] = []
  const plain = (wanted: string): TextMatch => textMatch(wanted, wanted)
  if (role !== null || name !== null) {
    const named = name === null ? null : plain(name)
    if (role !== null) queries.push({ kind: 'role', role: role.toLowerCase(), name: named, states: [] })
    else if (named) queries.push({ kind: 'label', match: named })
  }
  if (text !== null) queries.push({ kind: 'text', match: plain(text) })
  if (regex !== null) queries.push({ kind: 'text', match: textMatch(`/${regex}/`, regex) })
  if (label !== null) queries.push({ kind: 'label', match: plain(label) })
  if (testid !== null) queries.push({ kind: 'testid', id: testid })
  return queries
}
