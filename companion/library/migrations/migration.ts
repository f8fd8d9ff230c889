import type { Document } from 'yaml'
import type { AnyStep } from '../../kernel/step.ts'
import type { YamlMap } from './yaml-edits.ts'

/** One step from an older format towards today's. */
export interface Migration {
  name: string
  doc: string
  applies(draft: Draft): boolean
  apply(draft: Draft): void
}

/** An adapter on its way. Its document is changed in place, so that comments stay. */
export interface Draft {
  document: Document
  root: YamlMap
  site: string
  command: string
  steps: ReadonlyMap<string, AnyStep>
  /** Says what was changed. */
  did(change: string): void
  /** Says what a person has to decide. */
  open(question: string): void
}
