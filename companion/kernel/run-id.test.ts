import { expect, test } from 'vitest'
import { newRunId, ownSessionOf, runOfSession } from './run-id.ts'

test('the own session of a run tells the run, and one that somebody named tells none', () => {
  const run = newRunId()
  expect(runOfSession(ownSessionOf(run))).toBe(run)
  expect(['default', 'run-1', 'run-of-today', `${ownSessionOf(run)}0`].map(runOfSession)).toEqual([
    null,
    null,
    null,
    null,
  ])
})
