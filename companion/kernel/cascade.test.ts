import { describe, expect, it } from 'vitest'
import { operation, setUp } from '../../tests/support/kernel-world.ts'

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
    expect(cache.get('demo.list')).toBe('cookie')
    calls.length = 0
    expect((await run()).meta).toMatchObject({ strategy: 'cookie', strategy_source: 'cache' })
    expect(calls).toEqual(['cookie GET https://demo.example/'])
  })

  it('forgets a cached answer that no longer holds and probes the rest', async () => {
    const { run, cache } = setUp(auto)
    cache.set('demo.list', 'public')
    expect((await run()).meta).toMatchObject({ strategy: 'cookie', strategy_source: 'probe' })
    expect(cache.get('demo.list')).toBe('cookie')
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
})
