import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { Lasting } from '../../shared/policy.ts'
import { WIRE } from '../../shared/wire.ts'
import { governorOf } from '../../tests/support/governor.ts'
import { operation, setUp, step } from '../../tests/support/kernel-world.ts'
import { policyOf } from '../library/policy-file.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { GovernorParts } from './policy/governor.ts'
import type { AnyStep } from './step.ts'

const visit = step(
  'visit',
  async (ctx, { url }) => ctx.browser.call('page.navigate', { url, until: 'load' }, ctx),
  { site: 'browser' },
)
const read = step('read', async ctx => ctx.browser.call('page.html', { target: null }, ctx), {
  site: 'browser',
})
const click = step(
  'press',
  async ctx => ctx.browser.call('page.press', { key: 'Enter', target: null }, ctx),
  { site: 'browser', effect: 'write' },
)

/** A tab at an address, behind an extension that touches only what each call grants. */
function tabAt(address: string) {
  const state = { url: address, calls: [] as string[] }
  const browser: BrowserPort = {
    links: () => [],
    settled: async () => undefined,
    open: ({ session }) => ({
      profile: { id: 'p1', name: 'Test' },
      session,
      call: async (method, params, { granted = [] }) => {
        const to = 'url' in params ? String(params.url) : state.url
        const { origin } = new URL(to)
        state.calls.push(`${method} [${granted.join(' ')}]`)
        if (origin !== 'null' && !granted.includes(origin)) throw new Failure('site_not_granted', { origin })
        if (method === 'page.navigate') state.url = to
        return { url: state.url, title: `Title of ${state.url}` } as never
      },
      onCapture: () => () => undefined,
    }),
  }
  return { state, browser }
}

const NOTHING = { list: () => [], search: () => [], nearest: () => [], faults: () => [] }

/** What a step alone is as an operation. */
const operationOf = ({ name }: AnyStep) =>
  operation({
    ...{ id: `browser.${name}`, site: 'browser', command: name, strategy: null, strategies: [] },
    args: z.looseObject({}),
    source: { kind: 'step', step: name },
  })

interface Told {
  allow: boolean
  lasts?: Lasting
}

/** Runs steps one after the other, each a run of its own; the person says to every question what `told` says. */
function person(browser: BrowserPort, told: Told, over: Partial<GovernorParts> = {}, profile?: string) {
  const config: Record<string, unknown> = profile === undefined ? {} : { 'policy.profile': profile }
  const governor = governorOf(config, over)
  const asked: string[] = []
  const ops = [visit, read, click].map(operationOf)
  const [first = operation({})] = ops
  const world = setUp(first, {
    browser,
    governor,
    steps: new Map([visit, read, click].map(each => [each.name, each])),
    catalogue: { ...NOTHING, get: id => ops.find(op => op.id === id) ?? null },
  })
  const run = (name: string, args: Record<string, unknown> = {}, options = {}) =>
    world.run({
      operation: `browser.${name}`,
      args,
      options,
      onEvent: event => {
        if (event.type !== 'waiting') return
        asked.push(event.approval.site ?? '')
        queueMicrotask(() => governor.answer(event.approval.id, told.allow, told.lasts ?? 'once'))
      },
    })
  return { governor, asked, run }
}

const A = 'https://a.example/'
const RULES = (text: string): Partial<GovernorParts> => ({
  policy: { path: () => 'policy.yaml', read: () => policyOf(text, 'policy.yaml', '/home/me') },
})

describe('every method of the wire', () => {
  it('says whose grant it needs where it is about no tab of a session, and names the address then', () => {
    const faults = Object.entries(WIRE).filter(([, { params, touches }]) => {
      const has = (name: string) => name in params.shape
      const isPage = touches === 'page' || touches === 'both'
      const isAddress = touches === 'address' || touches === 'both'
      return (isPage && !has('session')) || (isAddress && !has('url') && !has('origin'))
    })
    expect(faults.map(([name]) => name)).toEqual([])
  })
})

describe('a site that nobody granted', () => {
  it('is not asked for anything until the person says yes', async () => {
    const { browser, state } = tabAt('about:blank')
    const { run, asked } = person(browser, { allow: false })
    expect((await run('visit', { url: A })).error?.code).toBe('approval_denied')
    expect(asked).toEqual(['a.example'])
    expect(state.calls).toEqual([])
  })

  it('is asked for again at the next operation after a yes for once', async () => {
    const { browser } = tabAt('about:blank')
    const { run, asked } = person(browser, { allow: true })
    expect((await run('visit', { url: A })).ok).toBe(true)
    expect((await run('read')).ok).toBe(true)
    expect(asked).toEqual(['a.example', 'a.example'])
  })

  it.each(['session', 'always'] as const)('is asked for once with a yes for %s', async lasts => {
    const { browser } = tabAt('about:blank')
    const { run, asked, governor } = person(browser, { allow: true, lasts })
    await run('visit', { url: A })
    expect((await run('read')).ok).toBe(true)
    expect((await run('visit', { url: 'https://www.a.example/x' })).ok).toBe(true)
    expect(asked).toEqual(['a.example'])
    expect(governor.sites()).toMatchObject([{ site: 'a.example', word: lasts }])
    expect(governor.forgetSite('a.example')).toBe(1)
    await run('read')
    expect(asked).toEqual(['a.example', 'a.example'])
  })

  it('does not come to be asked for by a page that is no site’s, such as a frame that a script wrote', async () => {
    const { browser } = tabAt('about:srcdoc')
    const { run, asked } = person(browser, { allow: true }, {}, 'open')
    expect((await run('press')).ok).toBe(true)
    expect((await run('press')).ok).toBe(true)
    expect(asked).toEqual([])
  })

  it('holds a yes for the session to that session', async () => {
    const { browser } = tabAt('about:blank')
    const { run, asked } = person(browser, { allow: true, lasts: 'session' })
    await run('visit', { url: A }, { session: 'work' })
    await run('visit', { url: A }, { session: 'other' })
    await run('visit', { url: A }, { session: 'work' })
    expect(asked).toEqual(['a.example', 'a.example'])
  })

  it('is never asked for again after a never, whatever profile and rules say', async () => {
    const { browser, state } = tabAt('about:blank')
    const rules = RULES('rules: [{decision: allow, domain: "*.example"}]')
    const { run, governor, asked } = person(browser, { allow: true }, rules, 'open')
    governor.putSite('a.example', 'never')
    const { error, exit_code } = await run('visit', { url: A })
    expect([error?.code, exit_code]).toEqual(['site_refused', 77])
    expect([asked, state.calls]).toEqual([[], []])
  })

  it('becomes a never by a no for always', async () => {
    const { browser } = tabAt('about:blank')
    const { run, asked } = person(browser, { allow: false, lasts: 'always' })
    expect((await run('visit', { url: A })).error?.code).toBe('approval_denied')
    expect((await run('visit', { url: A })).error?.code).toBe('site_refused')
    expect(asked).toEqual(['a.example'])
  })

  it('is granted by the profile open and by a rule of the person for its domain', async () => {
    for (const [over, profile] of [
      [{}, 'open'],
      [RULES('rules: [{decision: allow, domain: a.example}]'), 'careful'],
      [RULES('otherwise: allow'), 'careful'],
    ] as const) {
      const { browser } = tabAt('about:blank')
      const { run, asked } = person(browser, { allow: false }, over, profile)
      expect((await run('visit', { url: A })).ok).toBe(true)
      expect(asked).toEqual([])
    }
  })
})

describe('a page that has gone to another site', () => {
  it('is judged again before it is read, and read once', async () => {
    const { browser, state } = tabAt('about:blank')
    const { run, asked } = person(browser, { allow: true, lasts: 'always' })
    await run('visit', { url: A })
    state.url = 'https://b.example/'
    state.calls.length = 0
    expect((await run('read')).data).toMatchObject({ url: 'https://b.example/' })
    expect(asked).toEqual(['a.example', 'b.example'])
    expect(state.calls).toEqual([
      'page.html [https://a.example]',
      'page.html [https://a.example https://b.example]',
    ])
  })

  it('costs no call more when nothing has changed', async () => {
    const { browser, state } = tabAt('about:blank')
    const { run } = person(browser, { allow: true, lasts: 'always' })
    await run('visit', { url: A })
    await run('press')
    expect(state.calls).toEqual(['page.navigate [https://a.example]', 'page.press [https://a.example]'])
  })
})

describe('taking a word back', () => {
  it('stops what runs there, and nothing else', async () => {
    const { browser, state } = tabAt('https://a.example/')
    const hang = step('hang', async ctx => {
      await ctx.browser.call('page.html', { target: null }, ctx)
      return new Promise(() => undefined)
    })
    const governor = governorOf({})
    governor.putSite('a.example', 'always')
    governor.putSite('b.example', 'always')
    const op = operationOf(hang)
    const { kernel, run } = setUp(op, { browser, governor, steps: new Map([['hang', hang]]) })
    const running = run()
    while (state.calls.length < 2) await new Promise(setImmediate)
    kernel.forgetSite('b.example')
    expect(kernel.running()).toHaveLength(1)
    kernel.forgetSite('a.example')
    expect((await running).error?.code).toBe('cancelled')
  })
})
