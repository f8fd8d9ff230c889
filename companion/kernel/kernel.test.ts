import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { operation, setUp, step } from '../../tests/support/kernel-world.ts'
import type { Operation, RunEvent } from './operation.ts'

describe('a run', () => {
  it('gives data in an envelope that fits the schema, and the ledger gets the same', async () => {
    const { run, finished } = setUp(operation({}))
    const envelope = await run()
    expect(Envelope.parse(envelope)).toMatchObject({
      ok: true,
      data: [{ n: 1 }],
      exit_code: 0,
      meta: {
        site: 'demo',
        command: 'list',
        strategy: 'public',
        strategy_source: 'declared',
        count: 1,
        columns: ['n'],
      },
    })
    expect(finished).toEqual([envelope])
  })

  it.each([
    ['an unknown operation', { operation: 'demo.lst' }, 'unknown_operation', 2, 'demo.list'],
    ['a name with a path in it', { operation: '../x.y' }, 'unknown_operation', 2, 'demo.list'],
    ['an unknown argument', { args: { nn: 1 } }, 'invalid_args', 2, 'did you mean "n"?'],
    ['an argument of the wrong type', { args: { n: 'x' } }, 'invalid_args', 2, '"n"'],
    ['a strategy that it has not', { options: { strategy: 'ui' as const } }, 'usage', 2, 'public'],
  ])('refuses %s', async (_, over, code, exit, text) => {
    const envelope = Envelope.parse(await setUp(operation({})).run(over))
    expect(envelope).toMatchObject({ ok: false, exit_code: exit, error: { code } })
    expect(`${envelope.error?.message} ${envelope.error?.suggestion}`).toContain(text)
  })

  it('names file, step, action and alternatives when it fails', async () => {
    const { run, answers } = setUp(
      operation({ plans: { public: [{ give: 1 }, { get: 'https://demo.example/x' }] } }),
    )
    answers.text = '!'
    expect((await run()).error).toMatchObject({
      code: 'network_error',
      class: 'environment',
      adapter_path: 'adapters/demo/list.yaml',
      step: 'get',
      step_index: 1,
      action: 'step 1 (get) at adapters/demo/list.yaml:4',
      retryable: true,
      alternatives: ['unicli demo other'],
    })
  })

  it('ends at its deadline although a step hangs', async () => {
    const { run } = setUp(operation({ plans: { public: [{ hang: null }] } }))
    expect((await run({ options: { timeout_ms: 20 } })).error).toMatchObject({
      code: 'deadline_exceeded',
      step: 'hang',
    })
  })

  it("takes the adapter's own time limit where the caller gives none", async () => {
    const { run } = setUp(operation({ plans: { public: [{ hang: null }] }, timeoutMs: 30 }))
    expect((await run()).error).toMatchObject({ code: 'deadline_exceeded', details: { ms: 30 } })
    expect((await run({ options: { timeout_ms: 20 } })).error).toMatchObject({ details: { ms: 20 } })
  })

  it('ends when the client goes away and when a person stops it', async () => {
    const { run, kernel } = setUp(operation({ plans: { public: [{ hang: null }] } }))
    const client = new AbortController()
    const gone = run({ signal: client.signal, onEvent: event => event.type === 'step' && client.abort() })
    expect((await gone).error).toMatchObject({ code: 'cancelled', details: { by: 'client' } })
    const stopped = run({ onEvent: event => event.type === 'step' && kernel.stop({}, 'person') })
    expect((await stopped).error).toMatchObject({ code: 'cancelled', details: { by: 'person' } })
    expect(kernel.running()).toEqual([])
  })

  it('counts nothing found as a failure unless the adapter says that it is an answer', async () => {
    const plans = { public: [{ give: [] }] }
    expect(await setUp(operation({ plans })).run()).toMatchObject({
      exit_code: 66,
      error: { code: 'empty_result' },
    })
    expect(await setUp(operation({ plans, allowEmpty: true })).run()).toMatchObject({ ok: true, data: [] })
  })

  it('reaches declared origins only', async () => {
    const plans = { public: [{ get: 'https://elsewhere.example/x' }] }
    const refused = setUp(operation({ plans }))
    expect((await refused.run()).error).toMatchObject({ code: 'origin_not_allowed' })
    expect(refused.calls).toEqual([])
    expect((await setUp(operation({ plans, origins: ['https://elsewhere.example'] })).run()).ok).toBe(true)
  })

  it("takes the person's base for a site before the adapter's", async () => {
    const { run, config, calls } = setUp(operation({ plans: { public: [{ get: '${{ base }}/x' }] } }))
    config['sites.demo.base'] = 'http://127.0.0.1:81/w/'
    await run()
    expect(calls).toEqual(['public GET http://127.0.0.1:81/w/x'])
  })

  it('shows a step only the ports that it asked for', async () => {
    const { run } = setUp(operation({ plans: { public: [{ ports: null }] } }))
    expect((await run()).data).toEqual(['http'])
  })

  it('closes the browser session that was its own, and leaves a named one open', async () => {
    const op = operation({ plans: { public: [{ ping: null }] } })
    const own = setUp(op)
    await own.run()
    expect(own.calls).toEqual(['own link.ping', 'own session.close'])
    const named = setUp(op)
    await named.run({ options: { session: 'mine' } })
    expect(named.calls).toEqual(['mine link.ping'])
  })

  it('does nothing but tell its plan on a dry run', async () => {
    const { run, calls } = setUp(
      operation({ effect: 'write', plans: { public: [{ post: 'https://demo.example/' }] } }),
    )
    expect(await run({ options: { dry_run: true } })).toMatchObject({
      ok: true,
      meta: { dry_run: true },
      data: { would_run: { public: ['post'] } },
    })
    expect(calls).toEqual([])
  })

  it("leaves templates in a caller's own values alone", async () => {
    const op = operation({
      id: 'browser.echo',
      site: 'browser',
      command: 'echo',
      args: z.strictObject({ text: z.string() }),
      strategy: null,
      strategies: [],
      source: { kind: 'step', step: 'echo' },
    })
    expect((await setUp(op).run({ args: { text: '${{ args }}' } })).data).toEqual({ text: '${{ args }}' })
  })
})

describe('a write', () => {
  const write = (plans: Record<string, unknown[]>, over: Partial<Operation> = {}) =>
    operation({ effect: 'write', plans, ...over })

  it('that the site itself fails on is nothing to try again', async () => {
    const down = new Failure('upstream_unavailable', { url: 'https://demo.example/x', status: 504 })
    expect(down.spec.retry).toBe(true)
    const plans = { public: [{ post: 'https://demo.example/x' }] }
    const { run, answers } = setUp(operation({ effect: 'write', plans }))
    answers.fails = down
    expect((await run()).error).toMatchObject({ code: 'upstream_unavailable', retryable: false })
  })

  it('that fails after something has left says so', async () => {
    const plan = [{ post: 'https://demo.example/x' }, { get: 'https://elsewhere.example/' }]
    const { run } = setUp(operation({ effect: 'write', plans: { public: plan } }))
    const envelope = await run()
    expect(envelope).toMatchObject({
      ok: false,
      error: { code: 'origin_not_allowed' },
      meta: { wrote: true },
    })
  })

  it('whose answer is lost is outcome_unknown, with the cause in its details', async () => {
    const { run, answers } = setUp(write({ public: [{ post: 'https://demo.example/' }] }))
    answers.text = '!'
    expect((await run()).error).toMatchObject({
      code: 'outcome_unknown',
      retryable: false,
      details: { cause: 'network_error' },
    })
  })

  it('that has left is tried by no other strategy', async () => {
    const plans = { public: [{ post: 'https://demo.example/' }], cookie: [{ post: 'https://demo.example/' }] }
    const { run, answers, calls } = setUp(
      write(plans, { strategy: 'auto', strategies: ['public', 'cookie'] }),
    )
    answers.text = '!'
    await run()
    expect(calls).toEqual(['public POST https://demo.example/'])
  })

  it('waits for a person where the policy says so; the first answer counts', async () => {
    const { run, kernel, config } = setUp(write({ public: [{ give: 'done' }] }))
    config['policy.profile'] = 'confirm'
    const answer = (allow: boolean) => (event: RunEvent) => {
      if (event.type !== 'waiting') return
      queueMicrotask(() => expect(kernel.answer(event.approval.id, allow)).toBe(true))
    }
    expect((await run({ onEvent: answer(true) })).data).toBe('done')
    expect((await run({ onEvent: answer(false) })).error).toMatchObject({ code: 'approval_denied' })
    expect((await run({ options: { timeout_ms: 10 } })).error).toMatchObject({ code: 'approval_required' })
    expect(kernel.approvals()).toEqual([])
  })
})

it('a fault of ours is an internal failure with its cause in the log', async () => {
  const onFault = vi.fn()
  const boom = step('boom', async () => {
    throw new TypeError('oops')
  })
  const op = operation({})
  const broken: Operation = {
    ...op,
    source: {
      kind: 'adapter',
      base: 'https://demo.example',
      origins: [],
      csrf: {},
      executables: [],
      env: [],
      plans: { public: [{ step: boom, params: null, line: 1 }] },
    },
  }
  const envelope = await setUp(broken, { onFault }).run()
  expect(envelope.error).toMatchObject({ code: 'internal', step: 'boom' })
  expect(onFault).toHaveBeenCalledOnce()
})
