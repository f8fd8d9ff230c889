import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { step } from '../../tests/support/kernel-world.ts'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'

let rig: LocalRig
beforeAll(async () => {
  rig = await makeLocalRig()
})
afterAll(() => rig.root.remove())

const give = step('give', async (_, params) => params)
const answer = async (pipeline: unknown[]) => {
  const { data, error } = await rig.run(pipeline, { steps: [give] })
  if (error !== null) throw new Error(`${error.code}: ${error.message}`)
  return data
}
const failure = async (pipeline: unknown[]) => (await rig.run(pipeline, { steps: [give] })).error

describe('switch', () => {
  const choose = (value: unknown) => [
    { give: value },
    {
      switch: {
        on: 'data',
        cases: { '1': [{ give: 'one' }], 橋: [{ give: 'bridge' }] },
        default: [{ give: 'other' }],
      },
    },
  ]

  it('runs the pipeline named by the value, whatever its type', async () => {
    expect(await answer(choose(1))).toBe('one')
    expect(await answer(choose('橋'))).toBe('bridge')
    expect(await answer(choose(null))).toBe('other')
    expect(await answer(choose('toString'))).toBe('other')
  })

  it('fails on a value without a case when there is no default', async () => {
    const error = await failure([{ give: 'x' }, { switch: { on: 'data', cases: { y: [{ give: 1 }] } } }])
    expect(error).toMatchObject({ code: 'assertion_failed', step: 'switch' })
    expect(error?.message).toContain('none of y')
  })
})

describe('each', () => {
  it('keeps the order of the items however long each takes', async () => {
    const turns: number[] = []
    let release: () => void = () => undefined
    const second = new Promise<void>(resolve => {
      release = resolve
    })
    const work = step('work', async ctx => {
      if (ctx.data === 1) await second
      turns.push(Number(ctx.data))
      if (ctx.data === 2) release()
      return Number(ctx.data) * 10
    })
    const { data } = await rig.run(
      [{ give: [1, 2, 3] }, { each: { do: [{ work: null }], concurrency: 2 } }],
      {
        steps: [give, work],
      },
    )
    expect(data).toEqual([10, 20, 30])
    expect(turns[0]).toBe(2)
  })

  it('begins nothing more after a failure and waits for what goes on', async () => {
    const ended: unknown[] = []
    const work = step('work', async ctx => {
      if (ctx.data === 1) throw new Error('broken')
      await new Promise(resolve => setImmediate(resolve))
      ended.push(ctx.data)
      return null
    })
    const { error } = await rig.run(
      [{ give: [1, 2, 3, 4, 5] }, { each: { do: [{ work: null }], concurrency: 2 } }],
      { steps: [give, work] },
    )
    expect(error?.message).toContain('broken')
    expect(ended).toEqual([2])
  })
})

describe('while', () => {
  it('goes on while its expression holds, on the answer of the round before', async () => {
    expect(
      await answer([{ give: [1, 2, 3] }, { while: { while: 'data | length > 1', do: [{ skip: 1 }] } }]),
    ).toEqual([3])
  })

  it('runs no round when the expression never held', async () => {
    expect(await answer([{ give: 'x' }, { while: { while: 'false', do: [{ give: 'y' }] } }])).toBe('x')
  })

  it('looks at until after each round, so that one round always runs', async () => {
    expect(await answer([{ give: 0 }, { while: { until: 'true', do: [{ give: '${{ data + 1 }}' }] } }])).toBe(
      1,
    )
  })

  it('knows the round by its index', async () => {
    const rounds = [{ give: '${{ index }}' }]
    expect(await answer([{ give: 'x' }, { while: { until: 'index == 2', do: rounds } }])).toBe(2)
  })

  it('fails when its rounds are used up, or stops when that is what it was told', async () => {
    const endless = { while: 'true', do: [{ give: '${{ index }}' }], max: 5 }
    expect(await failure([{ while: endless }])).toMatchObject({ code: 'assertion_failed' })
    expect(await answer([{ while: { ...endless, at_max: 'stop' } }])).toBe(4)
  })

  it('ends when the client goes away', async () => {
    const abort = new AbortController()
    const work = step('work', async () => abort.abort())
    const { error } = await rig.run(
      [{ while: { while: 'true', do: [{ work: null }, { wait: { ms: 60_000 } }] } }],
      { steps: [work] },
      { signal: abort.signal },
    )
    expect(error?.code).toBe('cancelled')
  })
})

describe('parallel', () => {
  const branches = {
    a: [{ set: { x: 1 } }, { give: ['a${{ vars.x }}'] }],
    b: [{ set: { x: 2 } }, { give: ['b${{ vars.x }}'] }],
  }

  it('answers by name, each branch with vars of its own', async () => {
    expect(await answer([{ parallel: { branches } }])).toEqual({ a: ['a1'], b: ['b2'] })
    expect(await answer([{ parallel: { branches } }, { give: '${{ vars.x ?? "none" }}' }])).toBe('none')
  })

  it('puts lists behind each other in the order in which they are written', async () => {
    expect(await answer([{ parallel: { branches, merge: 'concat' } }])).toEqual(['a1', 'b2'])
  })
})

describe('wait', () => {
  it('passes the data on after a time, without a browser', async () => {
    expect(await answer([{ give: 'x' }, { wait: { ms: 1 } }])).toBe('x')
    expect(await answer([{ give: 'x' }, { wait: 1 }])).toBe('x')
  })

  it('is bounded by the deadline', async () => {
    const { error } = await rig.run([{ wait: { ms: 60_000 } }], {}, { options: { timeout_ms: 50 } })
    expect(error?.code).toBe('deadline_exceeded')
  })
})
