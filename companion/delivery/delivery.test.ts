import { describe, expect, it } from 'vitest'
import { Failure } from '../../shared/failures.ts'
import { operationOf, type Script, scriptedKernel } from '../../tests/support/scripted-kernel.ts'
import { deliver } from './delivery.ts'
import { Goal, type GoalState } from './goal.ts'

/** To what the caller is narrowed. */
const SCOPE = { sites: ['thing'] }

/** A world in which a thing is done or not, a check that sees it, and scripted ways to do it. */
function world(ways: Record<string, { effect?: 'read' | 'write'; run: (world: { done: boolean }) => void }>) {
  const state = { done: false, checkFails: null as Failure | null }
  const scripts: Script[] = [
    {
      operation: operationOf('thing.look'),
      run: () => {
        if (state.checkFails !== null) throw state.checkFails
        return { done: state.done }
      },
    },
    ...Object.entries(ways).map(([name, { effect = 'write', run }]) => ({
      operation: operationOf(`thing.${name}`, { effect }),
      run: () => run(state),
    })),
  ]
  const kernel = scriptedKernel(scripts)
  const goal = (over: Partial<Goal> = {}) =>
    Goal.parse({
      goal: 'The thing is done',
      checks: [{ operation: 'thing.look', expect: 'data.done' }],
      attempts: Object.keys(ways).map(name => ({ operation: `thing.${name}` })),
      ...over,
    })
  const saved: GoalState[] = []
  const work = (asked: Goal, known: GoalState = { tries: [] }) =>
    deliver(
      {
        kernel,
        surface: 'cli',
        limits: { scope: SCOPE },
        signal: new AbortController().signal,
        deadline: Date.now() + 60_000,
        save: next => saved.push(structuredClone(next)),
        progress: () => undefined,
        now: Date.now,
      },
      asked,
      known,
    )
  const scopes = () => kernel.invocations.map(({ options }) => options.scope)
  const ran = () => kernel.invocations.map(({ operation }) => operation).filter(id => id !== 'thing.look')
  return { state, goal, work, saved, ran, scopes }
}

const fail = (failure: Failure) => (): never => {
  throw failure
}
const BROKEN = new Failure('select_missed', { path: 'a', at: 'a', keys: [] })
const LOST = new Failure('outcome_unknown', { action: 'thing.post' })
const LOGIN = new Failure('auth_required', { site: 'thing', reason: 'nobody is logged in' })
const DOWN = new Failure('network_error', { url: 'https://thing.example', reason: 'down' })

describe('a goal', () => {
  it('is worked on within the scope of its caller', async () => {
    const { goal, work, scopes } = world({ post: { run: world => (world.done = true) } })
    await work(goal())
    expect(scopes()).toEqual([SCOPE, SCOPE, SCOPE])
  })

  it('that is reached already is left alone', async () => {
    const { state, goal, work, ran } = world({ post: { run: fail(BROKEN) } })
    state.done = true
    expect(await work(goal())).toMatchObject({ state: 'satisfied', tries: [], checks: [{ holds: true }] })
    expect(ran()).toEqual([])
  })

  it('is not worked on again by what was refused after something had left', async () => {
    const { goal, work, ran } = world({ post: { run: it => (it.done = true) } })
    const refused = { code: 'auth_required', message: 'no login', run_id: 'r', at: '2026-11-30T00:00:00Z' }
    const known = { attempt: 0, operation: 'thing.post', state: 'failed', ...refused } as const
    expect(await work(goal(), { tries: [{ ...known, wrote: true }] })).toMatchObject({ state: 'blocked' })
    expect(ran()).toEqual([])
    expect(await work(goal(), { tries: [{ ...known, wrote: false }] })).toMatchObject({ state: 'satisfied' })
  })

  it('is reached by the next alternative when one fails', async () => {
    const { goal, work, ran } = world({
      first: { run: fail(BROKEN) },
      second: { run: it => (it.done = true) },
      third: { run: fail(BROKEN) },
    })
    const report = await work(goal())
    expect(report).toMatchObject({
      state: 'satisfied',
      tries: [
        { operation: 'thing.first', state: 'failed', code: 'select_missed' },
        { operation: 'thing.second', state: 'done' },
      ],
    })
    expect(ran()).toEqual(['thing.first', 'thing.second'])
  })

  it('is exhausted when no alternative is left, or no attempt', async () => {
    const { goal, work } = world({ first: { run: () => undefined }, second: { run: () => undefined } })
    expect(await work(goal())).toMatchObject({ state: 'exhausted', tries: [{}, {}] })
    expect(await work(goal({ max_attempts: 1 }))).toMatchObject({ state: 'exhausted', tries_left: 0 })
  })

  it('is exhausted after its deadline', async () => {
    const { goal, work, ran } = world({ first: { run: it => (it.done = true) } })
    expect(await work(goal({ deadline: '2020-01-01T00:00:00Z' }))).toMatchObject({ state: 'exhausted' })
    expect(ran()).toEqual([])
  })

  it('is blocked by what only a person can do, once nothing else is left', async () => {
    const { goal, work } = world({ first: { run: fail(LOGIN) }, second: { run: fail(BROKEN) } })
    expect(await work(goal())).toMatchObject({
      state: 'blocked',
      blocked_by: expect.stringContaining('auth_required'),
      tries: [{}, {}],
    })
  })

  it('is not worked on while its check cannot be asked', async () => {
    const { state, goal, work, ran } = world({ post: { run: it => (it.done = true) } })
    state.checkFails = LOGIN
    expect(await work(goal())).toMatchObject({ state: 'blocked' })
    state.checkFails = DOWN
    expect(await work(goal())).toMatchObject({ state: 'in_progress' })
    expect(ran()).toEqual([])
  })

  it('has its reads repeated after a failure in passing, a few times at most', async () => {
    const { goal, work, ran } = world({ ask: { effect: 'read', run: fail(DOWN) } })
    expect(await work(goal())).toMatchObject({ state: 'exhausted' })
    expect(ran()).toEqual(['thing.ask', 'thing.ask', 'thing.ask'])
  })

  it('never has a write repeated whose outcome is unknown, nor done by another way', async () => {
    const { goal, work, ran } = world({ post: { run: fail(LOST) }, put: { run: it => (it.done = true) } })
    expect(await work(goal())).toMatchObject({ state: 'blocked', tries: [{ state: 'unknown' }] })
    expect(ran()).toEqual(['thing.post'])
  })

  it('takes a write that a crash cut off for one whose outcome is unknown', async () => {
    const { state, goal, work, saved, ran } = world({ post: { run: () => undefined } })
    await work(goal())
    const begun = saved[0] ?? { tries: [] }
    expect(begun.tries).toMatchObject([{ state: 'started' }])
    const again = await work(goal(), begun)
    expect(again).toMatchObject({ state: 'blocked', tries: [{ state: 'unknown' }] })
    expect(ran()).toEqual(['thing.post'])
    state.done = true
    expect(await work(goal(), begun)).toMatchObject({ state: 'satisfied' })
  })

  it('refuses a check that changes something', async () => {
    const { goal, work } = world({ post: { run: () => undefined } })
    const asked = goal({ checks: [{ operation: 'thing.post', args: {}, expect: 'ok' }] })
    await expect(work(asked)).rejects.toMatchObject({ code: 'usage' })
  })
})
