import { compilePlan, PlanFault } from '../../kernel/compile.ts'
import { planFacts } from '../../kernel/plan-facts.ts'
import type { Draft, Migration } from './migration.ts'
import { pairAt, put, valueAt } from './yaml-edits.ts'

/** Adapters once read when they did not say what they do. */
export const MISSING_EFFECT: Migration = {
  name: 'effect',
  doc: 'Every adapter says its effect; what its steps may do is written down.',
  applies: ({ root }) => pairAt(root, 'effect') === undefined,
  apply(draft) {
    const effect = effectOf(draft)
    if (effect === null) return draft.open('say what it does to the site: effect: read, write or destructive')
    put(draft.root, 'effect', effect, draft.document)
    draft.did(`effect: ${effect}, which is what its steps may do`)
  },
}

/** Null when its steps cannot be read. */
function effectOf({ root, document, steps }: Draft): string | null {
  const pipelines = [
    valueAt(root, 'pipeline', document),
    ...Object.values(valueAt(root, 'pipelines', document) ?? {}),
  ]
  const ranks = ['read', 'write', 'destructive']
  try {
    const effects = pipelines
      .filter(raw => raw !== undefined)
      .map(raw => planFacts(compilePlan(raw, { steps, line: () => null })).effect)
    return ranks[Math.max(0, ...effects.map(effect => ranks.indexOf(effect)))] ?? null
  } catch (error) {
    if (error instanceof PlanFault) return null
    throw error
  }
}
