import { readFileSync } from 'node:fs'
import type { Operation } from '../kernel/operation.ts'
import type { AdapterLayers } from './adapter-layers.ts'
import { FixtureProblem, type NamedFixture, readFixtures } from './fixtures.ts'

/** An adapter as it is written, with the known good runs that lie beside any of its versions. */
export interface AdapterText {
  file: string
  text: string
  fixtures: readonly NamedFixture[]
}

/** Null for an operation that no file describes. The strongest layer that has fixtures gives them. */
export function adapterText(layers: AdapterLayers, operation: Operation): AdapterText | null {
  const { site, command, adapterPath } = operation
  if (adapterPath === null) return null
  const folders = [...layers.extra().toReversed(), layers.overlay, layers.packaged]
  const fixtures = folders.map(folder => readFixtures(folder, site, command)).find(({ length }) => length > 0)
  return { file: adapterPath, text: readFileSync(adapterPath, 'utf8'), fixtures: fixtures ?? [] }
}

const known = new WeakMap<Operation, readonly string[]>()

/** Columns that have a value in every fixture beside a packaged adapter; a fixture that cannot be read tells none. */
export function knownColumns(packaged: string, operation: Operation): readonly string[] {
  const before = known.get(operation)
  if (before !== undefined) return before
  const columns = columnsIn(packaged, operation)
  known.set(operation, columns)
  return columns
}

function columnsIn(packaged: string, { site, command, columns }: Operation): readonly string[] {
  try {
    const fixtures = readFixtures(packaged, site, command).filter(({ expect }) => expect.code === undefined)
    if (fixtures.length === 0) return []
    return columns.filter(column => fixtures.every(({ expect }) => expect.columns?.includes(column) ?? false))
  } catch (error) {
    if (error instanceof FixtureProblem) return []
    throw error
  }
}
