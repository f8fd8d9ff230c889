import type { NamedFixture } from '../library/fixtures.ts'
import { fill, likenessOf, mainKind } from './likeness.ts'
import { isSameThings } from './match.ts'

type Row = Record<string, unknown>

/**
 * Why live rows are not what an adapter promises, in words; empty when they are. They are held against the rows of a
 * known good run with the same arguments: same columns, filled as well, of the same kinds, and where both tell of the
 * same things, with the same values.
 */
export function faultsOf(known: readonly Row[], live: readonly Row[], { expect }: NamedFixture): string[] {
  if (known.length === 0) return live.length === 0 ? [] : ['there are rows where there were none']
  if (live.length === 0) return ['there are no rows']
  const least = Math.ceil(Math.min(known.length, expect.rows_min ?? known.length) / 2)
  if (live.length < least) return [`there are ${live.length} rows where ${known.length} were`]
  const names = (rows: readonly Row[]): string => Object.keys(rows[0] ?? {}).join()
  if (names(known) !== names(live)) return ['the columns are others']
  const same = isSameThings(known, live)
  return Object.keys(known[0] ?? {}).flatMap(column => {
    const fault = columnFault(valuesOf(known, column), valuesOf(live, column), same)
    return fault === null ? [] : [`"${column}" ${fault}`]
  })
}

const valuesOf = (rows: readonly Row[], column: string): unknown[] => rows.map(row => row[column])

function columnFault(known: readonly unknown[], live: readonly unknown[], same: boolean): string | null {
  if (fill(known) >= 0.5 && fill(live) < 0.5 * fill(known)) return 'is empty'
  const [was, is] = [mainKind(known), mainKind(live)]
  if (was !== null && is !== null && was !== is) return `is ${is} where it was ${was}`
  const { overlap, form, isTelling } = likenessOf(known, live)
  if (was === null || is === null || was === 'boolean') return null
  if (same && isTelling && was === 'string' && overlap < 0.3) return 'tells other things'
  if (was === 'string' && isTelling && overlap < 0.3 && form < 0.3) return 'looks different'
  return null
}
