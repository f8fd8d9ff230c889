import { expect, it } from 'vitest'
import { governorOf } from '../../tests/support/governor.ts'
import { operation, setUp } from '../../tests/support/kernel-world.ts'
import type { Policy } from '../ports/policy.ts'
import { type Caller, rehearsalKernels } from './rehearsal.ts'

/** What becomes of a rehearsal of `demo.list` for a caller, where the policy keeps it from MCP. */
async function rehearsed(caller: Caller) {
  const op = operation({ plans: { public: [{ give: [{ n: 1 }] }] } })
  const policy: Policy = {
    otherwise: 'profile',
    rules: [{ decision: 'deny', surface: ['mcp'], site: ['demo'], line: 1 }],
  }
  const governor = governorOf({}, { policy: { path: () => '', read: () => policy } })
  const parts = { ...setUp(op).answers.ports(op), governor }
  const { signal } = new AbortController()
  const kernel = rehearsalKernels(parts, caller)(parts)
  const call = { operation: op.id, args: {}, options: {}, surface: 'cli' as const, signal }
  return (await kernel.run(call)).error?.code ?? null
}

it('is judged as the caller of the repair, and within their scope', async () => {
  expect(await rehearsed({ surface: 'cli', limits: {} })).toBeNull()
  expect(await rehearsed({ surface: 'mcp', limits: {} })).toBe('policy_denied')
  expect(await rehearsed({ surface: 'cli', limits: { scope: { sites: ['unicli'] } } })).toBe('policy_denied')
})
