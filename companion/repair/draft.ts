import type { Operation } from '../kernel/operation.ts'
import type { AnyStep, Plan, PlannedStep } from '../kernel/step.ts'
import { type AdapterPlace, readAdapter } from '../library/adapter.ts'
import { readYaml, type YamlPath } from '../library/yaml-source.ts'
import { applyEdits, type Edit } from './edits.ts'

/** An adapter as it is or as it is meant to become. */
export interface Draft {
  text: string
  operation: Operation
  /** Where each step is written, with its name as the last key. */
  places: ReadonlyMap<PlannedStep, YamlPath>
  /** Where steps were put in since the original, in the order of the insertions. */
  inserted: readonly YamlPath[]
}

/** Reads a draft. Throws AdapterProblem or YamlFault for what is no adapter. */
export function draftOf(
  text: string,
  place: AdapterPlace,
  steps: ReadonlyMap<string, AnyStep>,
  inserted: readonly YamlPath[] = [],
): Draft {
  const source = readYaml(text)
  const operation = readAdapter(source, place, steps)
  const places = new Map<PlannedStep, YamlPath>()
  const raw = source.value as { pipeline?: unknown; pipelines?: Record<string, unknown> }
  if (operation.source.kind === 'adapter')
    for (const [strategy, plan] of Object.entries(operation.source.plans)) {
      const own = raw.pipelines?.[strategy]
      const at = own === undefined ? ['pipeline'] : ['pipelines', strategy]
      placePlan(plan, own ?? raw.pipeline, at, places)
    }
  return { text, operation, places, inserted }
}

export function edited(
  draft: Draft,
  edits: readonly Edit[],
  place: AdapterPlace,
  steps: ReadonlyMap<string, AnyStep>,
): Draft {
  const added = edits.filter(edit => edit.kind === 'insert').map(edit => edit.path)
  return draftOf(applyEdits(draft.text, edits), place, steps, [...draft.inserted, ...added])
}

/** Where a step of a draft was in the original; null for one that was put in since. */
export function originalPlace(path: YamlPath, inserted: readonly YamlPath[]): YamlPath | null {
  let at: YamlPath | null = path
  for (const added of inserted.toReversed()) {
    if (at === null) return null
    const depth = added.length - 1
    const index: string | number | undefined = at[depth]
    const isBeside = added.slice(0, depth).every((key, level) => at?.[level] === key)
    if (!isBeside || typeof index !== 'number') continue
    const own = Number(added[depth])
    if (index === own) at = null
    else if (index > own) at = [...at.slice(0, depth), index - 1, ...at.slice(depth + 1)]
  }
  return at
}

/** Walks a plan and its text side by side: they have the same shape. */
function placePlan(plan: Plan, raw: unknown, at: YamlPath, places: Map<PlannedStep, YamlPath>): void {
  for (const [index, planned] of plan.entries()) {
    const entry = (raw as Record<string, unknown>[])[index] ?? {}
    const [name = ''] = Object.keys(entry)
    const path = [...at, index, name]
    places.set(planned, path)
    placeInner(planned.params, entry[name], path, places)
  }
}

function placeInner(params: unknown, raw: unknown, at: YamlPath, places: Map<PlannedStep, YamlPath>): void {
  if (typeof params !== 'object' || params === null || typeof raw !== 'object' || raw === null) return
  if (isPlan(params)) {
    placePlan(params, raw, at, places)
    return
  }
  for (const [key, value] of Object.entries(params))
    placeInner(value, (raw as Record<string, unknown>)[key], [...at, key], places)
}

const isPlan = (value: unknown): value is Plan =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    entry =>
      typeof entry === 'object' && entry !== null && 'step' in entry && 'params' in entry && 'line' in entry,
  )
