import { FAILURES } from '../../../shared/failures.ts'

/** Statuses that the guard may answer in place of the table's for `bad_request`. */
const GUARD_STATUSES = [405, 413, 415]

/** One response for each HTTP status of the failures table, named `Failed<status>`. */
export function failureResponses(): Record<string, object> {
  const codes = new Map<number, string[]>(GUARD_STATUSES.map(status => [status, ['bad_request']]))
  for (const [code, { http }] of Object.entries(FAILURES)) {
    const names = codes.get(http) ?? []
    codes.set(http, [...names, code])
  }
  return Object.fromEntries(
    [...codes].toSorted(([a], [b]) => a - b).map(([status, names]) => [`Failed${status}`, response(names)]),
  )
}

const response = (codes: readonly string[]): object => ({
  description: `It failed with one of: ${codes.join(', ')}. A call that never became a run has no envelope.`,
  content: {
    'application/json': {
      schema: {
        anyOf: [{ $ref: '#/components/schemas/Envelope' }, { $ref: '#/components/schemas/Refusal' }],
      },
    },
  },
})
