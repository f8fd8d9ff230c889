import type { StepSeen } from '../kernel/operation.ts'
import type { Draft } from './draft.ts'
import { endpointDrift } from './endpoint.ts'
import { staleChains } from './fields.ts'
import { mainKind } from './likeness.ts'
import { selectorDrift } from './markup.ts'
import { type PartMatch, partMatches } from './match.ts'
import { pageDrift } from './pages.ts'
import { type Pair, pairsOf, placeOf } from './pairs.ts'
import type { Drift, Proposal } from './proposals.ts'
import type { Rehearsed } from './rehearsal.ts'
import { type KeyPath, pathText } from './spots.ts'

/** The first step, in the order of the run, that is given or gives something else than it did. Null: none does. */
export function locate(original: Draft, known: Rehearsed, draft: Draft, live: Rehearsed): Drift | null {
  const pairs = pairsOf(original, known, draft, live)
  for (const pair of pairs) {
    const drift =
      missedPart(pair) ??
      otherInput(pair, pairs) ??
      staleChains(pair) ??
      selectorDrift(pair) ??
      pageDrift(pair) ??
      otherFailure(pair)
    if (drift !== null) return drift
  }
  return null
}

/** The step is given another kind of thing: a record where there was a list. */
function otherInput(pair: Pair, pairs: readonly Pair[]): Drift | null {
  if (pair.name === 'select') return null
  // What a step hands on unchanged is for the steps after it to judge.
  if (pair.known.every(({ scope, output }) => output === scope.data)) return null
  const [known] = inputs(pair.known)
  const [live] = inputs(pair.live)
  const [was, is] = [mainKind([known]), mainKind([live])]
  if (was === null || was === is || (was !== 'array' && was !== 'object')) return null
  const index = Number(pair.path.at(-2))
  const previous = pairs.find(
    other =>
      other.path.length === pair.path.length &&
      other.name === 'select' &&
      Number(other.path.at(-2)) === index - 1 &&
      other.path.slice(0, -2).join() === pair.path.slice(0, -2).join(),
  )
  const proposals = partMatches([], known, known, live).map(match =>
    selectProposal(pair, previous ?? null, match),
  )
  return {
    ...placeOf(pair),
    kind: 'moved',
    what: `"${pair.name}" was given ${article(was)} and is given ${article(is)} now`,
    proposals,
  }
}

const inputs = (seen: readonly StepSeen[]): unknown[] => seen.map(({ scope }) => scope.data)
const article = (kind: string | null): string =>
  kind === null ? 'nothing' : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`

function selectProposal(pair: Pair, previous: Pair | null, match: PartMatch): Proposal {
  const before = previous?.live[0]?.planned.params
  const base = typeof before === 'string' && !before.startsWith('$') ? before : null
  const value = selectText(match)
  if (previous !== null && base !== null) {
    const whole = value.startsWith('$')
      ? `$.${base}${value.slice(1)}`
      : value === ''
        ? base
        : `${base}.${value}`
    return {
      edits: [{ kind: 'set', path: previous.path, value: whole }],
      score: match.score,
      what: `the rows are at "${whole}" now`,
    }
  }
  return {
    edits: [{ kind: 'insert', path: pair.path.slice(0, -1), step: 'select', value }],
    score: match.score,
    what: `the rows are at "${value}" now`,
  }
}

/** A dot path; a JSONPath where it is the values of an object that are wanted. */
const selectText = ({ path, isSpread }: PartMatch): string =>
  isSpread ? `$${path.map(key => `[${JSON.stringify(key)}]`).join('')}.*` : pathText(path)

/** A `select` whose path leads nowhere, or to nothing of what was there. */
function missedPart(pair: Pair): Drift | null {
  const [known] = pair.known
  const [live] = pair.live
  const path = live?.planned.params
  if (pair.name !== 'select' || known === undefined || live === undefined || typeof path !== 'string')
    return null
  const isEmptied = Array.isArray(known.output) && known.output.length > 0 && isEmptyList(live.output)
  if (live.failure === null && !isEmptied) return null
  const was: KeyPath = path.startsWith('$') ? [] : path.split('.')
  const matches = partMatches(was, known.output, known.scope.data, live.scope.data)
  return {
    ...placeOf(pair),
    kind: 'moved',
    what: `there is nothing at "${path}"`,
    proposals: matches.map(match => partProposal(pair, match)),
  }
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

function partProposal(pair: Pair, match: PartMatch): Proposal {
  const text = selectText(match)
  const what = text === '' ? 'it is the whole answer now' : `it is at "${text}" now`
  // A step that selects everything says nothing; it is taken out where the answer itself is what was wanted.
  return {
    edits: [{ kind: 'set', path: pair.path, value: text === '' ? '$' : text }],
    score: match.score,
    what,
  }
}

/** A step fails, and no better reason is known. */
function otherFailure(pair: Pair): Drift | null {
  const failed = pair.live.find(({ failure }) => failure !== null)
  if (failed?.failure === undefined || failed.failure === null) return null
  const endpoint = endpointDrift(pair, failed)
  if (endpoint !== null) return endpoint
  return { ...placeOf(pair), kind: 'unknown', what: failed.failure.message, proposals: [] }
}
