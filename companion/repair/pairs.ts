import type { StepSeen } from '../kernel/operation.ts'
import type { YamlPath } from '../library/yaml-source.ts'
import { type Draft, originalPlace } from './draft.ts'
import type { Drift } from './proposals.ts'
import type { Rehearsed } from './rehearsal.ts'
import type { Answered } from './tape.ts'

/** One step in both runs: as the fixture had it, and as it goes now. */
export interface Pair {
  /** In the draft. */
  path: YamlPath
  name: string
  line: number | null
  known: readonly StepSeen[]
  live: readonly StepSeen[]
  /** What the sites of both runs answered, in order. */
  answers: { known: readonly Answered[]; live: readonly Answered[] }
  /** HTML that the runs read from pages last. */
  pages: { known: string | null; live: string | null }
}

/** Steps that both runs came to, in the order of the known one. */
export function pairsOf(original: Draft, known: Rehearsed, draft: Draft, live: Rehearsed): Pair[] {
  const before = grouped(known.seen, original, path => path)
  const after = grouped(live.seen, draft, path => originalPlace(path, draft.inserted))
  return [...before].flatMap(([key, { seen }]) => {
    const now = after.get(key)
    if (now === undefined) return []
    const [first] = now.seen
    const line = first?.planned.line ?? null
    return [
      {
        path: now.path,
        name: String(now.path.at(-1)),
        line,
        known: seen,
        live: now.seen,
        answers: { known: known.answers, live: live.answers },
        pages: { known: known.page, live: live.page },
      },
    ]
  })
}

function grouped(
  seen: readonly StepSeen[],
  draft: Draft,
  placeOf: (path: YamlPath) => YamlPath | null,
): Map<string, { path: YamlPath; seen: StepSeen[] }> {
  const groups = new Map<string, { path: YamlPath; seen: StepSeen[] }>()
  for (const step of seen) {
    const path = draft.places.get(step.planned)
    const place = path === undefined ? null : placeOf(path)
    if (path === undefined || place === null) continue
    const key = place.join('\n')
    const group = groups.get(key) ?? { path, seen: [] }
    group.seen.push(step)
    groups.set(key, group)
  }
  return groups
}

export const placeOf = ({ path, name, line }: Pair): Pick<Drift, 'path' | 'step' | 'line'> => ({
  path,
  step: name,
  line,
})
