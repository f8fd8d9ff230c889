import { expect, test } from 'vitest'
import { z } from 'zod'
import { setUp } from '../../tests/support/kernel-world.ts'
import { type Builtin, builtinOperation } from './builtin.ts'
import type { RunEvent } from './operation.ts'

const args = z.strictObject({ word: z.string(), times: z.int().default(2) })
const builtin = (run: Builtin<typeof args>['run']) =>
  builtinOperation({
    id: 'own.repeat',
    doc: 'Repeat a word.',
    args,
    positional: ['word'],
    effect: 'read',
    example: { word: 'ho' },
    run,
  })

test('an operation of our own gets parsed arguments, and its answer is the data', async () => {
  const events: RunEvent[] = []
  const operation = builtin(async ({ word, times }, call) => {
    call.progress('once')
    return [{ text: word.repeat(times), surface: call.surface }]
  })
  const { run } = setUp(operation)
  const envelope = await run({ args: { word: 'ho' }, onEvent: event => events.push(event) })
  expect(envelope).toMatchObject({
    ok: true,
    data: [{ text: 'hoho', surface: 'http' }],
    meta: { site: 'own', command: 'repeat' },
  })
  expect(events).toContainEqual({ type: 'progress', run_id: envelope.meta.run_id, text: 'once' })
})

test('it ends at its deadline although it hears no signal', async () => {
  const { run } = setUp(builtin(() => new Promise(() => undefined)))
  const envelope = await run({ args: { word: 'ho' }, options: { timeout_ms: 20 } })
  expect(envelope.error?.code).toBe('deadline_exceeded')
})

test('a dry run does nothing', async () => {
  let ran = false
  const { run } = setUp(
    builtin(async () => {
      ran = true
      return null
    }),
  )
  expect(await run({ args: { word: 'ho' }, options: { dry_run: true } })).toMatchObject({ ok: true })
  expect(ran).toBe(false)
})
