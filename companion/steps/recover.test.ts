import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { step } from '../../tests/support/kernel-world.ts'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'
import { compilePlan } from '../kernel/compile.ts'
import { STEPS } from './index.ts'

let rig: LocalRig
beforeAll(async () => {
  rig = await makeLocalRig()
})
afterAll(() => rig.root.remove())

const give = step('give', async (_, params) => params)
const url = 'https://demo.example/x'

/** Fails as often as the list is long, then answers. */
function failing(...failures: Failure[]) {
  let calls = 0
  const flaky = step('flaky', async () => {
    const failure = failures[calls++]
    if (failure !== undefined) throw failure
    return `answer ${calls}`
  })
  return { steps: [give, flaky], calls: () => calls }
}
const passing = () => new Failure('network_error', { url, reason: 'down' })
const lasting = () => new Failure('not_found', { what: 'It', hint: 'Look.' })

describe('retry', () => {
  it('tries again when the failure may pass by itself', async () => {
    const flaky = failing(passing(), passing())
    const { data } = await rig.run([{ retry: { do: [{ flaky: null }], backoff_ms: 0 } }], flaky)
    expect(data).toBe('answer 3')
  })

  it('does not try again what will not pass', async () => {
    const flaky = failing(lasting())
    const { error } = await rig.run([{ retry: { do: [{ flaky: null }], backoff_ms: 0 } }], flaky)
    expect(error).toMatchObject({ code: 'not_found', step: 'flaky' })
    expect(flaky.calls()).toBe(1)
  })

  it('gives up after its attempts, with the last failure and its place', async () => {
    const flaky = failing(passing(), passing(), passing())
    const { error } = await rig.run([{ retry: { do: [{ flaky: null }], attempts: 2, backoff_ms: 0 } }], flaky)
    expect(error).toMatchObject({ code: 'network_error', step: 'flaky' })
    expect(flaky.calls()).toBe(2)
  })

  it('does not wait for longer than the run may last', async () => {
    const flaky = failing(new Failure('rate_limited', { site: 'demo', retry_after_s: 3600 }))
    const { error } = await rig.run([{ retry: { do: [{ flaky: null }] } }], flaky)
    expect(error?.code).toBe('rate_limited')
  })

  it.each([
    ['a request that may change something', { fetch: { url, method: 'POST' } }],
    ['a program', { exec: { argv: ['ls'] } }],
    ['a write in a round', { while: { until: 'true', do: [{ write_file: { path: 'x' } }] } }],
    ['a write in a named branch', { parallel: { branches: { a: [{ write_file: { path: 'x' } }] } } }],
  ])('is refused around %s', (_, inner) => {
    const compile = () => compilePlan([{ retry: { do: [inner] } }], { steps: STEPS, line: () => 1 })
    expect(compile).toThrow(/"retry" runs only what changes nothing/)
  })

  it('is allowed around what says that it only reads', () => {
    const plan = [
      { exec: { argv: ['ls'], effect: 'read' } },
      { fetch: { url, method: 'POST', effect: 'read' } },
    ]
    expect(() => compilePlan([{ retry: { do: plan } }], { steps: STEPS, line: () => 1 })).not.toThrow()
  })
})

describe('try', () => {
  const pipeline = (more: object) => [{ give: 'input' }, { try: { do: [{ flaky: null }], ...more } }]

  it('gives the failure to catch as data', async () => {
    const { data, error } = await rig.run(pipeline({ catch: [{ give: '${{ data }}' }] }), failing(lasting()))
    expect(error).toBeNull()
    expect(data).toMatchObject({
      code: 'not_found',
      message: 'It was not found.',
      hint: 'Look.',
      class: 'context',
      retryable: false,
      wrote: false,
    })
  })

  it('catches only the codes that it names', async () => {
    const only = { catch: [{ give: 'caught' }], codes: ['network_error'] }
    expect((await rig.run(pipeline(only), failing(passing()))).data).toBe('caught')
    expect((await rig.run(pipeline(only), failing(lasting()))).error).toMatchObject({
      code: 'not_found',
      step: 'flaky',
    })
  })

  it('runs finally in any case and drops its answer', async () => {
    const seen: unknown[] = []
    const note = step('note', async ctx => seen.push(ctx.data))
    const last = { finally: [{ note: null }] }
    const good = failing()
    expect((await rig.run(pipeline(last), { steps: [...good.steps, note] })).data).toBe('answer 1')
    const bad = failing(lasting())
    expect((await rig.run(pipeline(last), { steps: [...bad.steps, note] })).error?.code).toBe('not_found')
    expect(seen).toEqual(['input', 'input'])
  })

  it('tells the place of a later failure, not of the one that was dealt with', async () => {
    const flaky = failing(lasting(), passing())
    const { error } = await rig.run(
      [{ try: { do: [{ flaky: null }], catch: [{ give: 1 }] } }, { assert: { that: 'false', message: 'm' } }],
      flaky,
    )
    expect(error).toMatchObject({ code: 'assertion_failed', step: 'assert' })
  })

  it.each([
    ['the policy forbids', new Failure('policy_denied', { operation: 'x.y', rule: 'r' })],
    ['a person refused', new Failure('approval_denied', { operation: 'x.y' })],
    ['is a fault of the adapter', new Failure('expression_error', { expression: 'x', at: 0, reason: 'r' })],
  ])('does not catch what %s', async (_, failure) => {
    const { error } = await rig.run(pipeline({ catch: [{ give: 'caught' }] }), failing(failure))
    expect(error?.code).toBe(failure.code)
  })
})

describe('fallback', () => {
  it('takes the first pipeline that succeeds', async () => {
    const pipelines = [[{ flaky: null }], [{ give: 'second' }], [{ give: 'third' }]]
    expect((await rig.run([{ fallback: { pipelines } }], failing(lasting()))).data).toBe('second')
  })

  it('fails as its best way did when all fail', async () => {
    const pipelines = [[{ flaky: null }], [{ flaky: null }]]
    const { error } = await rig.run([{ fallback: { pipelines } }], failing(lasting(), passing()))
    expect(error?.code).toBe('not_found')
  })

  it('tries no other way once something may have been changed', async () => {
    const post = step('post', async ctx => {
      await ctx.http.request({ url, method: 'POST', headers: {}, body: '', read: false }, ctx)
      throw lasting()
    })
    const pipelines = [[{ post: null }], [{ give: 'second' }]]
    const { error } = await rig.run([{ fallback: { pipelines } }], { steps: [give, post] })
    expect(error).toMatchObject({ code: 'not_found', step: 'post' })
  })

  it('goes on after a write that was made before it', async () => {
    const post = step('post', async ctx =>
      ctx.http.request({ url, method: 'POST', headers: {}, body: '', read: false }, ctx),
    )
    const flaky = failing(lasting())
    const { data } = await rig.run(
      [{ post: null }, { fallback: { pipelines: [[{ flaky: null }], [{ give: 'second' }]] } }],
      { steps: [...flaky.steps, post] },
    )
    expect(data).toBe('second')
  })

  it('never falls through when the outcome is unknown', async () => {
    const pipelines = [[{ flaky: null }], [{ give: 'second' }]]
    const unknown = new Failure('outcome_unknown', { action: 'It' })
    const { error } = await rig.run([{ fallback: { pipelines } }], failing(unknown))
    expect(error?.code).toBe('outcome_unknown')
  })
})
