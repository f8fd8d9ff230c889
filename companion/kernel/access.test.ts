import { expect, test } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import type { FilesPort } from '../ports/files.ts'
import { guardedFiles } from './access.ts'
import type { Run } from './run-state.ts'

/** How many writes a run has on its account after one that ended like this. */
async function writesAfter(write: FilesPort['write']): Promise<number> {
  const run = { writesSent: 0 } as Run
  const files = guardedFiles({ write } as FilesPort, run)
  await files.write('a.txt', new Uint8Array(), 'create').catch(error => {
    if (!Failure.is(error)) throw error
  })
  return run.writesSent
}

test('a file that was not allowed, or was there already, was not written', async () => {
  const failures = [
    new Failure('path_not_granted', { path: '/etc/x', granted: [] }),
    new Failure('policy_denied', { operation: 'files.write_file', rule: 'line 1' }),
    new Failure('already_exists', { what: 'a.txt', hint: 'Replace it.' }),
  ]
  for (const failure of failures) expect(await writesAfter(() => Promise.reject(failure))).toBe(0)
})

test('a file on which the disk failed may have been written, and one that was written was', async () => {
  const failed = new Failure('file_failed', { path: 'a.txt', reason: 'the disk is full' })
  expect(await writesAfter(() => Promise.reject(failed))).toBe(1)
  expect(await writesAfter(async () => ({ path: 'a.txt', bytes: 0 }))).toBe(1)
})
