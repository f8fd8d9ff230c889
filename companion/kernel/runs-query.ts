import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { RunBrief } from '../../shared/status.ts'
import type { RunsQuery } from '../ports/state.ts'

/** Which runs of the ledger are meant, in words as every surface takes them. */
export const RunsFilter = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(50).describe('at most so many'),
  operation: z.string().max(200).optional().describe('only runs of site.command'),
  site: z.string().max(64).optional().describe('only runs of this site'),
  state: RunBrief.shape.state.optional().describe('only runs in this state'),
  since: z
    .string()
    .max(40)
    .optional()
    .describe('only runs begun since then: 30m, 12h, 7d, or a date such as 2026-01-31'),
})

/** Fails with usage for a time that is none. */
export function runsQuery(filter: z.output<typeof RunsFilter>, now = Date.now()): RunsQuery {
  const { since, ...rest } = filter
  return { ...rest, since: since === undefined ? undefined : timeOf(since, now) }
}

/** The same from what a caller has written. Fails with usage. */
export function runsQueryOf(given: z.input<typeof RunsFilter>, now = Date.now()): RunsQuery {
  const parsed = RunsFilter.safeParse(given)
  if (parsed.success) return runsQuery(parsed.data, now)
  const [issue] = parsed.error.issues
  throw new Failure('usage', {
    problem: `"${issue?.path.join('.') ?? ''}" does not fit: ${issue?.message ?? 'it cannot be read'}.`,
    hint: 'For example: limit 50, since 24h',
  })
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function timeOf(text: string, now: number): number {
  const [, amount = '', unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? []
  // Date.parse takes a bare 7 for a month.
  const date = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  const time = unit === '' ? date : now - Number(amount) * (UNITS[unit] ?? 0)
  if (Number.isFinite(time)) return time
  throw new Failure('usage', {
    problem: `"since" takes a time such as 30m, 12h, 7d or 2026-01-31, not "${text}".`,
    hint: 'For example: since 24h',
  })
}
