import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { Cookie } from '../../shared/values.ts'
import { operationOf, type Script, scriptedKernel } from '../../tests/support/scripted-kernel.ts'
import type { BuiltinCall, Operation } from '../kernel/operation.ts'
import type { Service, SiteAuth } from '../ports/auth.ts'
import type { BrowserSession } from '../ports/browser.ts'
import { writeCookies } from './cookie-formats.ts'
import { authOperations } from './operations.ts'
import type { AuthParts } from './parts.ts'

const BASE = 'https://wiki.example/w'

/** An adapter's operation of the site `wiki`. */
const adapter = (command: string, auth: SiteAuth | undefined, over: Partial<Operation> = {}): Operation =>
  operationOf(`wiki.${command}`, {
    strategy: 'cookie',
    strategies: ['cookie'],
    source: { kind: 'adapter', base: BASE, origins: [], plans: {}, csrf: {}, executables: [], env: [], auth },
    ...over,
  })

const cookie = (name: string): Cookie => ({
  ...{ name, value: 'v', domain: 'wiki.example', path: '/', secure: true, http_only: true },
  ...{ same_site: 'lax', expires: null },
})

const SERVICE: Service = {
  ...{
    name: 'hub',
    issuer: null,
    deviceAuthorizationEndpoint: null,
    tokenEndpoint: null,
    revocationEndpoint: null,
  },
  ...{ clientId: null, scopes: [], origins: [], setup: null },
}

/** The operations over a catalogue and a browser that hold what a test says. */
function setUp(scripts: Script[], browserCookies: Cookie[] | null = [], fileCookies: Cookie[] | null = null) {
  const parts: AuthParts = {
    kernel: () => kernel,
    config: { get: () => undefined },
    services: { get: name => (name === 'hub' ? SERVICE : null), list: () => [SERVICE] },
    signIns: {
      state: async (service: string) => ({
        service,
        state: 'logged_out',
        scopes: [],
        expires_at: null,
        renews: false,
      }),
      forget: async () => ({ forgot: false, revoked: false }),
    } as unknown as AuthParts['signIns'],
    cookies: { read: () => fileCookies, parse: () => [], write: () => undefined, drop: () => false },
    browser: {
      links: () => (browserCookies === null ? [] : ([{ state: 'linked' }] as never)),
      settled: async () => undefined,
    },
  }
  const kernel = scriptedKernel(scripts)
  const session = { profile: { id: 'p', name: 'P' }, call: async () => browserCookies }
  const call = {
    ...{ runId: 'r', surface: 'cli', signal: new AbortController().signal, deadline: Date.now() + 10_000 },
    progress: () => undefined,
    browser: () => session as unknown as BrowserSession,
  } as unknown as BuiltinCall
  const run = (id: string, args: Record<string, unknown>): Promise<unknown> => {
    const operation = authOperations(parts).find(each => each.id === `auth.${id}`)
    if (operation?.source.kind !== 'builtin') throw new Error(`there is no auth.${id}`)
    return operation.source.run(operation.args.parse(args), call)
  }
  return { run, kernel }
}

const answers = (operation: Operation, run: () => unknown): Script => ({ operation, run })
const noLogin = () => {
  throw new Failure('auth_required', { site: 'wiki', reason: 'nobody is logged in' })
}

describe('the login state of a site', () => {
  const probe: SiteAuth = { probe: 'wiki.who', expect: 'data.id > 0' }
  it.each<[string, Script[], Cookie[] | null, Record<string, unknown>]>([
    [
      'is what the probe of its adapter answers, with the account',
      [answers(adapter('who', probe), () => ({ name: 'Mei', id: 7 }))],
      [],
      { state: 'logged_in', by: 'probe', account: 'Mei' },
    ],
    [
      'is logged out when the expectation does not hold',
      [answers(adapter('who', probe), () => ({ name: '1.2.3.4', id: 0 }))],
      [],
      { state: 'logged_out', by: 'probe', account: null },
    ],
    [
      'is logged out when the probe says that a login is wanted',
      [answers(adapter('who', probe), noLogin)],
      [],
      { state: 'logged_out', by: 'probe' },
    ],
    [
      'is unknown when the probe fails in another way',
      [
        answers(adapter('who', probe), () => {
          throw new Failure('network_error', { url: BASE, reason: 'down' })
        }),
      ],
      [],
      { state: 'unknown', by: null, reason: expect.stringContaining('down') },
    ],
    [
      'is what an operation called whoami answers, where no adapter names a probe',
      [answers(adapter('whoami', undefined), () => [{ user: 'mei' }])],
      [],
      { state: 'logged_in', account: 'mei' },
    ],
    [
      'is told by the cookies that an adapter names',
      [answers(adapter('list', { cookies: ['sid', 'uid'] }), () => null)],
      [cookie('sid'), cookie('uid')],
      { state: 'logged_in', by: 'cookies' },
    ],
    [
      'is logged out when one of them is missing',
      [answers(adapter('list', { cookies: ['sid', 'uid'] }), () => null)],
      [cookie('sid')],
      { state: 'logged_out', by: 'cookies', reason: expect.stringContaining('uid') },
    ],
    [
      'is logged out when there is no cookie at all',
      [answers(adapter('list', undefined), () => null)],
      [],
      { state: 'logged_out', by: 'cookies' },
    ],
    [
      'is unknown when nobody says what the cookies mean',
      [answers(adapter('list', undefined), () => null)],
      [cookie('theme')],
      { state: 'unknown', by: null },
    ],
    [
      'is unknown without a browser',
      [answers(adapter('list', { cookies: ['sid'] }), () => null)],
      null,
      { state: 'unknown', reason: 'no browser is linked' },
    ],
  ])('%s', async (_, scripts, browserCookies, expected) => {
    const { run } = setUp(scripts, browserCookies)
    expect(await run('status', { target: 'wiki' })).toEqual([
      expect.objectContaining({ name: 'wiki', kind: 'site', ...expected }),
    ])
  })

  it('is told by imported cookies where no browser is linked', async () => {
    const scripts = [answers(adapter('list', { cookies: ['sid'] }), () => null)]
    const { run } = setUp(scripts, null, [cookie('sid')])
    expect(await run('status', { target: 'wiki' })).toMatchObject([{ state: 'logged_in', by: 'cookie_file' }])
  })

  it('is asked of every site that acts as the person, and of every service', async () => {
    const open = adapter('feed', undefined, {
      id: 'news.feed',
      site: 'news',
      strategy: 'public',
      strategies: ['public'],
    })
    const { run, kernel } = setUp([answers(adapter('who', probe), noLogin), answers(open, () => [])])
    const rows = (await run('status', {})) as { name: string }[]
    expect(rows.map(({ name }) => name)).toEqual(['wiki', 'hub'])
    expect(kernel.invocations.map(({ operation }) => operation)).toEqual(['wiki.who'])
  })
})

describe('a name that is no site and no service', () => {
  it.each(['status', 'login', 'forget'])('is told by %s with what was probably meant', async id => {
    const { run } = setUp([answers(adapter('who', undefined), () => null)])
    await expect(run(id, { target: 'wikki' })).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Did you mean wiki?',
    })
  })

  it('has nothing to check', async () => {
    const { run } = setUp([answers(adapter('who', undefined), () => null)])
    await expect(run('check', { service: 'wiki' })).rejects.toThrow(/A service "wiki"/)
  })
})

describe('a site', () => {
  it('is logged in to by its page alone, never by a code', async () => {
    const { run } = setUp([answers(adapter('who', undefined, { args: z.strictObject({}) }), () => null)])
    await expect(run('login', { target: 'wiki', wait: false })).rejects.toMatchObject({ code: 'unsupported' })
    await expect(run('login', { target: 'wiki', via: 'code' })).rejects.toMatchObject({ code: 'unsupported' })
  })
})

describe('written cookies', () => {
  const own: Cookie[] = [
    { ...cookie('sid'), domain: '.wiki.example', expires: 1_800_000_000.5 },
    { ...cookie('plain'), value: '值 x', http_only: false, secure: false, same_site: 'unspecified' },
  ]
  it('are the storage state of Playwright', () => {
    expect(JSON.parse(writeCookies(own, 'playwright')).cookies).toEqual([
      expect.objectContaining({
        domain: '.wiki.example',
        httpOnly: true,
        sameSite: 'Lax',
        expires: 1_800_000_000.5,
      }),
      expect.objectContaining({ value: '值 x', expires: -1, secure: false, sameSite: 'Lax' }),
    ])
  })

  it('say for Playwright under which site they are kept', () => {
    const [kept] = JSON.parse(
      writeCookies([{ ...cookie('sid'), partition: 'https://shop.example' }], 'playwright'),
    ).cookies
    expect(kept).toMatchObject({ name: 'sid', partitionKey: 'https://shop.example' })
    expect(kept).not.toHaveProperty('partition')
  })

  it('are a cookies.txt', () => {
    expect(writeCookies(own, 'netscape').split('\n')).toEqual([
      '# Netscape HTTP Cookie File',
      '#HttpOnly_.wiki.example\tTRUE\t/\tTRUE\t1800000000\tsid\tv',
      'wiki.example\tFALSE\t/\tFALSE\t0\tplain\t值 x',
      '',
    ])
  })
})
