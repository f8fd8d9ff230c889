import type { StepSeen } from '../kernel/operation.ts'
import { fieldsOf, metaOf, objectForm } from '../kernel/schema-shape.ts'
import type { AnyStep } from '../kernel/step.ts'
import type { YamlPath } from '../library/yaml-source.ts'
import { type Chain, chainsIn, chainText, splice } from './chains.ts'
import type { Edit } from './edits.ts'
import { fill, isThere, type Kind, mainKind } from './likeness.ts'
import { fieldMatches, type Match } from './match.ts'
import type { Pair } from './pairs.ts'
import { type Drift, MARGIN } from './proposals.ts'
import { pathText, valueAt } from './spots.ts'

/** A text in a step's options that holds templates, or is an expression. */
interface Written {
  /** Keys below the step's options. */
  at: YamlPath
  text: string
  isExpression: boolean
}

/** A chain that used to lead somewhere and no longer does. */
interface Stale {
  written: Written
  chain: Chain
  /** Index of the chain in its text. */
  order: number
  text: string
  /** Kinds, when there still is something, but of another kind. */
  change: { was: Kind; is: Kind } | null
  matches: readonly Match[]
}

/** Fields that a step's templates name and that the live answers do not have. */
export function staleChains(pair: Pair): Drift | null {
  const stale = staleIn(pair)
  if (stale.length === 0) return null
  const solved = stale.map(each => ({ each, edit: edit(pair, each) }))
  const what = stale.map(({ text }) => text).join(', ')
  const isComplete = solved.every(({ edit: made }) => made !== null)
  const texts = new Map<string, string>()
  const edits = isComplete ? mergedEdits(pair, stale) : []
  for (const { each, edit: made } of solved) if (made !== null) texts.set(each.text, made.what)
  const score = Math.min(...stale.map(({ matches }) => matches[0]?.score ?? 1))
  return {
    path: pair.path,
    step: pair.name,
    line: pair.line,
    kind: stale.every(({ change }) => change !== null) ? 'type changed' : 'renamed',
    what: stale.every(({ change }) => change !== null)
      ? `${what}: of another type`
      : `${what}: not there any more`,
    proposals: isComplete
      ? [{ edits, score, what: [...texts].map(([from, to]) => `${from} is now ${to}`).join('; ') }]
      : [],
  }
}

function staleIn(pair: Pair): Stale[] {
  const [known] = pair.known
  const [live] = pair.live
  if (known === undefined || live === undefined) return []
  const { step } = live.planned
  const now = writtenIn(step, live.planned.params)
  return writtenIn(step, known.planned.params).flatMap((written, index) => {
    const current = now[index]
    if (current === undefined) return []
    const chains = chainsIn(current.text, current.isExpression)
    return chainsIn(written.text, written.isExpression).flatMap((chain, order): Stale[] => {
      const at = chains[order]
      const found = at === undefined ? null : staleness(pair, written, chain, at)
      return found === null || at === undefined ? [] : [{ ...found, written: current, chain: at, order }]
    })
  })
}

function staleness(
  pair: Pair,
  written: Written,
  was: Chain,
  is: Chain,
): Pick<Stale, 'text' | 'change' | 'matches'> | null {
  const known = wholesOf(pair.known, was.root)
  const live = wholesOf(pair.live, is.root)
  const before = known.map(value => valueAt(value, was.path))
  const after = live.map(value => valueAt(value, is.path))
  if (live.length === 0 || fill(before) < 0.5) return null
  const kinds = [mainKind(before), mainKind(after)] as const
  const text = chainText(was.root, was.path, false)
  const about = { path: was.path, known, live }
  if (isGone(after)) return { text, change: null, matches: fieldMatches(about, null) }
  const [wasKind, isKind] = kinds
  if (wasKind === null || isKind === null || wasKind === isKind || !matters(pair, written, wasKind, isKind))
    return null
  const inside = isKind === 'object' || isKind === 'array'
  return { text, change: { was: wasKind, is: isKind }, matches: inside ? fieldMatches(about, null) : [] }
}

/** Not there at all; of many, null everywhere is as good as not there. */
const isGone = (values: readonly unknown[]): boolean =>
  values.every(value => value === undefined) || (values.length >= 3 && values.every(value => !isThere(value)))

/** A number that became a text matters where it changes the row; a record always does. */
function matters(pair: Pair, { at }: Written, was: Kind, is: Kind): boolean {
  const isScalar = (kind: Kind): boolean => kind !== 'object' && kind !== 'array'
  if (!isScalar(was) || !isScalar(is)) return true
  const [name] = at
  const outputs = (seen: readonly StepSeen[]) => seen.flatMap(({ output }) => columnOf(output, name))
  const [before, after] = [mainKind(outputs(pair.known)), mainKind(outputs(pair.live))]
  return before !== null && before !== after
}

const columnOf = (output: unknown, name: unknown): unknown[] =>
  (Array.isArray(output) ? output : [output]).map(row => valueAt(row, [String(name)]))

/** What a chain's root stands for, in each run of the step. */
function wholesOf(seen: readonly StepSeen[], root: Chain['root']): unknown[] {
  return seen.flatMap(({ scope, planned }): unknown[] => {
    if (root === 'data') return [scope.data]
    if (isPerRow(planned.step)) return Array.isArray(scope.data) ? scope.data : [scope.data]
    return scope.item === undefined ? [] : [scope.item]
  })
}

/** Steps that fill their own templates do so for each row. */
const isPerRow = (step: AnyStep): boolean => {
  const meta = metaOf(step.schema)
  if (!meta.rendered && !meta.plan) return true
  const form = objectForm(step.schema)
  return (
    form !== null && fieldsOf(form).some(([, , field]) => !field.rendered && !field.plan && !field.expression)
  )
}

function writtenIn(step: AnyStep, params: unknown): Written[] {
  if (typeof params === 'string')
    return [{ at: [], text: params, isExpression: metaOf(step.schema).expression }]
  const form = objectForm(step.schema)
  const fields = new Map(form === null ? [] : fieldsOf(form).map(([name, , meta]) => [name, meta]))
  if (typeof params !== 'object' || params === null) return []
  return Object.entries(params).flatMap(([name, value]) => {
    const meta = fields.get(name)
    return meta?.plan === true ? [] : textsIn(value, [name], meta?.expression === true)
  })
}

function textsIn(value: unknown, at: YamlPath, isExpression: boolean): Written[] {
  if (typeof value === 'string') return [{ at, text: value, isExpression }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    textsIn(inner, [...at, Array.isArray(value) ? Number(key) : key], false),
  )
}

/** The text that stands in a chain's place; null where nothing can be taken for it, or two things can. */
function edit(pair: Pair, stale: Stale): { by: string; what: string } | null {
  const { chain, change } = stale
  if (change !== null && change.is !== 'object' && change.is !== 'array') return converted(pair, stale)
  const [best, second] = stale.matches
  if (best === undefined) return null
  if (second !== undefined && best.score - second.score < MARGIN) return null
  const isCareful = wasCareful(stale) || isPatchy(wholesOf(pair.live, chain.root), best)
  const by = chainText(chain.root, best.path, isCareful)
  return { by, what: best.path.length === 0 ? chain.root : `${chain.root}.${pathText(best.path)}` }
}

const wasCareful = ({ written, chain }: Stale): boolean =>
  written.text.slice(chain.start, chain.end).includes('?.')

/** Whether some answer lacks a step of the way. */
const isPatchy = (wholes: readonly unknown[], { path }: Match): boolean =>
  path.length > 1 && wholes.some(whole => !isThere(valueAt(whole, path.slice(0, -1))))

function converted(pair: Pair, { chain, change, written }: Stale): { by: string; what: string } | null {
  const filter = conversion(pair, chain, change)
  if (filter === null) return null
  const text = chainText(chain.root, chain.path, false)
  const isAlone = /^\$\{\{\s*[\w.?[\]"']+\s*\}\}$/.test(written.text)
  return { by: isAlone ? `${text} | ${filter}` : `(${text} | ${filter})`, what: `${text} as ${filter}` }
}

function conversion(pair: Pair, chain: Chain, change: Stale['change']): string | null {
  const values = wholesOf(pair.live, chain.root)
    .map(whole => valueAt(whole, chain.path))
    .filter(isThere)
  if (change?.was === 'string') return 'string'
  if (change?.was === 'boolean')
    return values.every(value => /^(?:true|false|0|1|)$/.test(String(value))) ? 'bool' : null
  if (change?.was !== 'number' || !values.every(value => /^-?\d+(?:\.\d+)?$/.test(String(value)))) return null
  return values.every(value => /^-?\d+$/.test(String(value))) ? 'int' : 'float'
}

/** One edit for each text, with all its chains replaced, the last first so that the places stay. */
function mergedEdits(pair: Pair, stale: readonly Stale[]): Edit[] {
  const byPlace = new Map<string, { at: YamlPath; text: string }>()
  for (const each of stale.toReversed()) {
    const made = edit(pair, each)
    const key = each.written.at.join('\n')
    const known = byPlace.get(key) ?? { at: each.written.at, text: each.written.text }
    if (made !== null) byPlace.set(key, { ...known, text: splice(known.text, each.chain, made.by) })
  }
  return [...byPlace.values()].map(({ at, text }) => ({
    kind: 'set',
    path: [...pair.path, ...at],
    value: text,
  }))
}
