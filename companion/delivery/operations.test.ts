import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { operationOf, scriptedKernel } from '../../tests/support/scripted-kernel.ts'
import type { BuiltinCall } from '../kernel/operation.ts'
import { deliveryOperations } from './operations.ts'

it('lets calls for one goal take turns, so that a write is begun once', async () => {
  let posted = 0
  const kernel = scriptedKernel([
    { operation: operationOf('thing.look'), run: () => pause(5, { done: posted > 0 }) },
    { operation: operationOf('thing.post', { effect: 'write' }), run: () => pause(5, ++posted) },
  ])
  const kept = new Map<string, unknown>()
  const states = { load: (key: string) => kept.get(key) ?? null, save: kept.set.bind(kept) }
  const [operation] = deliveryOperations({ kernel: () => kernel, states })
  const goal = {
    goal: 'The thing is done',
    checks: [{ operation: 'thing.look', expect: 'data.done' }],
    attempts: [{ operation: 'thing.post' }],
  }
  const deliver = async () => {
    if (operation?.source.kind !== 'builtin') throw new Error('it is an operation of unicli itself')
    return operation.source.run(operation.args.parse(goal), callOf())
  }
  const reports = await Promise.all([deliver(), deliver()])
  expect(reports).toMatchObject([{ state: 'satisfied' }, { state: 'satisfied' }])
  expect(posted).toBe(1)
})

function callOf(): BuiltinCall {
  const unused = (): never => {
    throw new Error('a goal needs neither browser nor files')
  }
  return {
    runId: 'run',
    surface: 'cli',
    limits: {},
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    progress: () => undefined,
    browser: unused,
    files: unused,
  }
}
