import type { YamlPath } from '../library/yaml-source.ts'
import type { Edit } from './edits.ts'

export type DriftKind =
  | 'moved'
  | 'renamed'
  | 'type changed'
  | 'selector changed'
  | 'endpoint changed'
  | 'pagination changed'
  | 'unknown'

/** One way to mend a drift. */
export interface Proposal {
  edits: readonly Edit[]
  /** 0 to 1; comparable among the proposals of one drift only. */
  score: number
  /** In words, such as `item.title is now item.headline`. */
  what: string
}

/** Where a site and an adapter no longer agree. */
export interface Drift {
  kind: DriftKind
  step: string
  path: YamlPath
  /** 1-based line in the adapter. */
  line: number | null
  what: string
  /** Best first; empty when nothing that is there now can be taken for what was there. */
  proposals: readonly Proposal[]
}

/** Two proposals this near to each other cannot be told apart. */
export const MARGIN = 0.08
