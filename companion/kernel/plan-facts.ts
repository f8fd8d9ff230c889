import type { Effect } from '../../shared/envelope.ts'
import { fieldsOf, objectForm } from './schema-shape.ts'
import type { Need, Plan, PlannedStep } from './step.ts'

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
  for (const planned of stepsOf(plan)) {
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
export function* stepsOf(plan: Plan): Generator<PlannedStep> {
  for (const planned of plan) {
    yield planned
    for (const nested of nestedPlans(planned)) yield* stepsOf(nested)
  }
}

function nestedPlans({ step, params }: PlannedStep): Plan[] {
  const form = objectForm(step.schema)
  if (form === null || typeof params !== 'object' || params === null) return []
  const given = params as Record<string, unknown>
  return fieldsOf(form).flatMap(([name, , { plan, plans }]) => {
    const value = given[name]
    if (value === undefined) return []
    // The compiler put them there.
    if (plan) return [value as Plan]
    return plans ? (Object.values(value as object) as Plan[]) : []
  })
}

/** A step that inherits its effect tells it by its options, is a request, judged by its method, or only runs others. */
function effectOf({ step, params }: PlannedStep): Effect {
  const { effect, needs } = step
  if (effect !== 'inherits') return effect
  const options = (params ?? {}) as Record<string, unknown>
  if (step.effectOf !== undefined) return step.effectOf(options)
  if (needs.length === 0) return 'pure'
  if (!needs.includes('http')) return 'read'
  const { method = 'GET', effect: said } = options
  return said === 'read' || method === 'GET' || method === 'HEAD' ? 'read' : 'write'
}
