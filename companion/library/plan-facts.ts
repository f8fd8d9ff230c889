import type { Effect } from '../../shared/envelope.ts'
import type { Need, Plan, PlannedStep } from '../kernel/step.ts'

const RANK: Readonly<Record<Effect, number>> = { pure: 0, read: 1, write: 2, destructive: 3 }

export interface PlanFacts {
  needs: readonly Need[]
  /** The most that a step of it may do. */
  effect: Effect
  /** The step that does it; null in a plan that does nothing. */
  by: PlannedStep | null
}

/** What a plan may open and change, from what its steps say of themselves. */
export function planFacts(plan: Plan): PlanFacts {
  const needs = new Set<Need>()
  let effect: Effect = 'pure'
  let by: PlannedStep | null = null
  for (const planned of walk(plan)) {
    for (const need of planned.step.needs) needs.add(need)
    const own = effectOf(planned)
    if (RANK[own] <= RANK[effect]) continue
    effect = own
    by = planned
  }
  return { needs: [...needs], effect, by }
}

export const exceeds = (effect: Effect, allowed: Effect): boolean => RANK[effect] > RANK[allowed]

/** Steps and those of the pipelines nested in their options. */
function* walk(plan: Plan): Generator<PlannedStep> {
  for (const planned of plan) {
    yield planned
    for (const option of optionsOf(planned)) if (isPlan(option)) yield* walk(option)
  }
}

/** A step that inherits its effect is a request, judged by its method, or only runs others. */
function effectOf(planned: PlannedStep): Effect {
  const { effect, needs } = planned.step
  if (effect !== 'inherits') return effect
  if (needs.length === 0) return 'pure'
  if (!needs.includes('http')) return 'read'
  const { method = 'GET', effect: said } = (planned.params ?? {}) as { method?: unknown; effect?: unknown }
  return said === 'read' || method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}

const optionsOf = ({ params }: PlannedStep): unknown[] =>
  typeof params === 'object' && params !== null ? Object.values(params) : []

/** The compiler puts plans, and nothing else of this shape, where a step takes a pipeline. */
const isPlan = (value: unknown): value is Plan =>
  Array.isArray(value) &&
  value.every(
    entry =>
      typeof entry === 'object' && entry !== null && 'step' in entry && 'params' in entry && 'line' in entry,
  )

/** Origins of the whole addresses that an adapter writes out; what a template fills in is not among them. */
export function literalOrigins(value: unknown): string[] {
  if (typeof value === 'string') {
    const origin = /^https?:\/\/[^/?#\s${]+(?=[/?#]|$)/i.exec(value)?.[0]
    return origin !== undefined && URL.canParse(origin) ? [new URL(origin).origin] : []
  }
  if (Array.isArray(value)) return value.flatMap(literalOrigins)
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(literalOrigins) : []
}
