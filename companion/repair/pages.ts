import { parsedJson } from '../../shared/json.ts'
import type { Edit } from './edits.ts'
import { kindOf, likenessOf, nameLikeness } from './likeness.ts'
import { partMatches } from './match.ts'
import { type Pair, placeOf } from './pairs.ts'
import type { Drift, Proposal } from './proposals.ts'
import { isNewIn, type KeyPath, pathText, spotsOf, valueAt } from './spots.ts'
import type { Answered } from './tape.ts'

interface Paginate {
  by?: unknown
  items?: unknown
  next?: unknown
}

/** A request for all pages that no longer finds its list, or what leads to the next page. */
export function pageDrift(pair: Pair): Drift | null {
  const how = paginateOf(pair.live[0]?.planned.params)
  const before = paginateOf(pair.known[0]?.planned.params)
  if (how === null || before === null) return null
  return lostItems(pair, before, how) ?? lostNext(pair, before, how)
}

function paginateOf(params: unknown): Paginate | null {
  const how = typeof params === 'object' && params !== null && 'paginate' in params ? params.paginate : null
  return typeof how === 'object' && how !== null ? how : null
}

const pathOf = (written: unknown): KeyPath | null =>
  typeof written === 'string' && !written.startsWith('$')
    ? written.split('.').filter(key => key !== '')
    : null

function lostItems(pair: Pair, before: Paginate, how: Paginate): Drift | null {
  const [was, is] = [pathOf(before.items ?? ''), pathOf(how.items ?? '')]
  const [known, live] = [firstJson(pair.answers.known), firstJson(pair.answers.live)]
  if (was === null || is === null || live === null) return null
  const part = valueAt(known, was)
  if (!Array.isArray(part) || Array.isArray(valueAt(live, is))) return null
  const matches = partMatches(was, part, known, live).filter(({ isSpread }) => !isSpread)
  return {
    ...placeOf(pair),
    kind: 'pagination changed',
    what: `the first page has no list at "${pathText(is)}"`,
    proposals: matches.map(({ path, score }) => ({
      edits: [setting(pair, 'items', path)],
      score,
      what: `the list of a page is at "${pathText(path)}" now`,
    })),
  }
}

/** What leads on is new on every call, so that its value says little: the rows of the later pages are the proof. */
function lostNext(pair: Pair, before: Paginate, how: Paginate): Drift | null {
  const isNamed = how.by === 'cursor' || how.next !== undefined
  const [was, is] = [pathOf(before.next ?? 'next'), pathOf(how.next ?? 'next')]
  const [known, live] = [firstJson(pair.answers.known), firstJson(pair.answers.live)]
  if (!isNamed || was === null || is === null || live === null) return null
  const value = valueAt(known, was)
  if (kindOf(value) === null || kindOf(valueAt(live, is)) !== null) return null
  return {
    ...placeOf(pair),
    kind: 'pagination changed',
    what: `the first page has nothing at "${pathText(is)}" that leads to the next`,
    proposals: nextProposals(pair, { was, value, known, live }),
  }
}

function nextProposals(
  pair: Pair,
  { was, value, known, live }: { was: KeyPath; value: unknown; known: unknown; live: unknown },
): Proposal[] {
  return spotsOf([live])
    .filter(spot => kindOf(spot.values[0]) === kindOf(value) && isNewIn([known], spot))
    .filter(({ path }) => !path.includes(0))
    .map(({ path, values }) => ({
      edits: [setting(pair, 'next', path)],
      score:
        0.5 * nameLikeness(String(was.at(-1)), String(path.at(-1))) +
        0.5 * likenessOf([value], values).overlap,
      what: `"${pathText(path)}" leads to the next page now`,
    }))
    .toSorted((a, b) => b.score - a.score)
}

const setting = (pair: Pair, key: 'items' | 'next', path: KeyPath): Edit => ({
  kind: 'set',
  path: [...pair.path, 'paginate', key],
  value: pathText(path),
})

const firstJson = ([first]: readonly Answered[]): unknown =>
  first === undefined ? null : parsedJson(first.response.text, null)
