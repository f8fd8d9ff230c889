import { describe, expect, it } from 'vitest'
import { operation, setUp } from '../../tests/support/kernel-world.ts'
import type { CachedStrategy } from '../ports/state.ts'

const known = (strategy: CachedStrategy['strategy'], login: string | null = null): CachedStrategy => ({
  strategy,
  login,
  expiresAt: 1_000_000,
})

describe('strategy auto', () => {
  const auto = operation({
    strategy: 'auto',
    strategies: ['public', 'cookie', 'header'],
    plans: {
      public: [{ get: 'https://elsewhere.example/' }],
      cookie: [{ get: 'https://demo.example/' }],
      header: [{ get: 'https://demo.example/' }],
    },
  })

  it('tries in order, takes the first that answers, and says why the others did not', async () => {
    const { run, cache, calls } = setUp(auto)
    const envelope = await run()
    expect(envelope).toMatchObject({
      data: 'cookie:[1]',
      meta: { strategy: 'cookie', strategy_source: 'probe' },
    })
    expect(envelope.meta.attempts).toMatchObject([
      { strategy: 'public', ok: false, code: 'origin_not_allowed' },
      { strategy: 'cookie', ok: true },
    ])
    expect(cache.get('demo.list')?.strategy).toBe('cookie')
    calls.length = 0
    expect((await run()).meta).toMatchObject({ strategy: 'cookie', strategy_source: 'cache' })
    expect(calls).toEqual(['cookie GET https://demo.example/'])
  })

  it('forgets a cached answer that no longer holds and probes the rest', async () => {
    const { run, cache } = setUp(auto)
    cache.set('demo.list', known('public'))
    expect((await run()).meta).toMatchObject({ strategy: 'cookie', strategy_source: 'probe' })
    expect(cache.get('demo.list')?.strategy).toBe('cookie')
  })

  it('looks further where one strategy finds nothing, and says that nothing is there when none does', async () => {
    const plans = { public: [{ give: [] }], cookie: [{ give: [1] }] }
    const found = setUp(operation({ strategy: 'auto', strategies: ['public', 'cookie'], plans }))
    expect(await found.run()).toMatchObject({ data: [1], meta: { strategy: 'cookie' } })
    const none = { public: [{ give: [] }], cookie: [{ give: [] }] }
    const empty = setUp(operation({ strategy: 'auto', strategies: ['public', 'cookie'], plans: none }))
    expect((await empty.run()).error).toMatchObject({ code: 'empty_result' })
    expect(empty.cache.size).toBe(0)
  })

  it('tells each reason when none answers', async () => {
    const { run, answers } = setUp(auto)
    answers.text = '!'
    const { error } = await run()
    expect(error).toMatchObject({ code: 'strategies_exhausted' })
    expect(error?.message).toMatch(/public: origin_not_allowed.*cookie: network_error.*header: network_error/)
  })

  it('shows what each strategy that failed was answered', async () => {
    const { run } = setUp(
      operation({
        strategy: 'auto',
        strategies: ['public', 'cookie'],
        plans: {
          public: [{ get: 'https://demo.example/' }, { refuse: 'not_data' }],
          cookie: [{ get: 'https://demo.example/' }],
        },
      }),
    )
    const envelope = await run()
    expect(envelope.meta.attempts).toMatchObject([
      { strategy: 'public', code: 'not_data', status: 200, evidence: 'e1' },
      { strategy: 'cookie', ok: true, status: null, evidence: null },
    ])
    expect(envelope.evidence).toEqual([{ kind: 'http', media_type: 'application/json', id: 'e1', bytes: 1 }])
  })

  it('says how long it keeps what answered, and why it no longer does', async () => {
    const { run, cache } = setUp(auto)
    cache.set('demo.list', known('cookie'))
    expect((await run()).meta.strategy_cache).toEqual({
      used: true,
      reason: null,
      expires: '1970-01-01T00:16:40.000Z',
    })
    cache.set('demo.list', known('public'))
    expect((await run()).meta.strategy_cache).toMatchObject({ used: false, reason: expect.any(String) })
  })

  it.each([
    ['not_data', true],
    ['auth_required', true],
    ['rate_limited', false],
  ])('after %s of the cached strategy, forgets it: %s', async (code, isForgotten) => {
    const plans = { public: [{ refuse: code }], cookie: [{ refuse: 'network_error' }] }
    const { run, cache } = setUp(operation({ strategy: 'auto', strategies: ['public', 'cookie'], plans }))
    cache.set('demo.list', known('public'))
    expect((await run()).ok).toBe(false)
    expect(cache.has('demo.list')).toBe(!isForgotten)
  })

  it('probes anew once somebody else is logged in', async () => {
    const { run, cache, answers, config } = setUp(auto)
    // Who is logged in is looked up where the site is granted.
    config['policy.profile'] = 'open'
    cache.set('demo.list', known('header', 'me'))
    answers.login = 'somebody else'
    const { meta } = await run()
    expect(meta).toMatchObject({ strategy: 'cookie', strategy_source: 'probe' })
    expect(meta.strategy_cache).toMatchObject({ used: false, reason: 'somebody logged in or out since' })
    expect(cache.get('demo.list')).toMatchObject({ strategy: 'cookie', login: expect.any(String) })
    expect((await run()).meta).toMatchObject({ strategy_source: 'cache', strategy_cache: { used: true } })
  })
})

describe('an answer of nothing', () => {
  const listing = (body: string) => {
    const world = setUp(operation({ plans: { public: [{ get: 'https://demo.example/' }, { give: [] }] } }))
    world.answers.body = body
    return world.run()
  }

  it('is an answer when the site itself counts 0', async () => {
    expect(await listing('{"total":0,"items":[]}')).toMatchObject({ ok: true, data: [] })
    expect(await listing('{"query":{"searchinfo":{"totalhits":0}}}')).toMatchObject({ ok: true, data: [] })
  })

  it('is none where something else is 0, or where there should be more', async () => {
    for (const body of ['{"items":[]}', '{"total":7}', '{"rows":[{"count":0}]}', '[]', '{"offset":0}'])
      expect(await listing(body)).toMatchObject({ ok: false, error: { code: 'empty_result' } })
  })
})

describe('rows that lost their columns', () => {
  const columns = ['a', 'b', 'c']
  const given = (rows: unknown[], known: string[]) => {
    const world = setUp(operation({ columns, plans: { public: [{ give: rows }] } }))
    world.answers.knownColumns = known
    return world.run()
  }

  it('are drift when most of what is known is empty', async () => {
    expect((await given([{ a: 1, b: null, c: null }], columns)).error).toMatchObject({
      code: 'columns_missing',
      class: 'drift',
      alternatives: ['unicli repair demo list', 'unicli demo other'],
    })
  })

  it('are given with a remark when it may be chance, and without one when nothing is known', async () => {
    const some = await given([{ a: 1, b: 2, c: null }], columns)
    expect(some).toMatchObject({ ok: true, meta: { notes: [expect.stringContaining('for c')] } })
    expect((await given([{ a: 1, b: null, c: null }], [])).meta.notes ?? []).toEqual([])
  })
})
