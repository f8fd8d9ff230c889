import { basename, dirname } from 'node:path'
import { isMap, parseDocument } from 'yaml'
import type { AnyStep } from '../kernel/step.ts'
import { AdapterProblem, readAdapter } from './adapter.ts'
import { SCHEMA_LINE } from './adapter-skeletons.ts'
import type { Draft, Migration } from './migrations/migration.ts'
import { MISSING_EFFECT } from './migrations/missing-effect.ts'
import { UNICLI_V2 } from './migrations/unicli-v2.ts'
import { readYaml, YamlFault } from './yaml-source.ts'

/** From the oldest format to today's; each may find what the one before it left. */
const MIGRATIONS: readonly Migration[] = [UNICLI_V2, MISSING_EFFECT]

export interface MigratedText {
  /** The same text when there was nothing to do. */
  text: string
  changes: readonly string[]
  /** What a person has to decide or mend. */
  open: readonly string[]
}

/** An adapter's text in today's format; comments and order stay. Text that is no YAML stays as it is. */
export function migrateAdapter(
  text: string,
  file: string,
  steps: ReadonlyMap<string, AnyStep>,
): MigratedText {
  const document = parseDocument(text, { version: '1.2', schema: 'core' })
  const root = document.contents
  if (document.errors.length > 0 || !isMap(root))
    return { text, changes: [], open: ['it is no YAML of keys and values'] }
  const changes: string[] = []
  const open: string[] = []
  const [site, command] = [basename(dirname(file)), basename(file).replace(/\.ya?ml$/i, '')]
  const draft: Draft = {
    ...{ document, root, site, command, steps },
    did: change => changes.push(change),
    open: question => open.push(question),
  }
  for (const migration of MIGRATIONS) if (migration.applies(draft)) migration.apply(draft)
  if (changes.length === 0) return { text, changes, open }
  const made = document.toString({ lineWidth: 0, flowCollectionPadding: true })
  const next = made.includes('yaml-language-server') ? made : SCHEMA_LINE + made
  return { text: next, changes, open: [...open, ...faultsOf(next, { file, site, command }, steps)] }
}

function faultsOf(
  text: string,
  place: { file: string; site: string; command: string },
  steps: ReadonlyMap<string, AnyStep>,
): string[] {
  try {
    readAdapter(readYaml(text), place, steps)
    return []
  } catch (error) {
    if (error instanceof AdapterProblem || error instanceof YamlFault)
      return [`line ${error.line}: ${error.message}`]
    throw error
  }
}
