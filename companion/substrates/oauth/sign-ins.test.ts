import { afterEach, describe, expect, it } from 'vitest'
import { type OidcServer, type OidcSettings, startOidcServer } from '../../../tests/support/oidc-server.ts'
import { recordingLog } from '../../../tests/support/recording-log.ts'
import type { SecretPort, Service } from '../../ports/auth.ts'
import { createSignIns } from './sign-ins.ts'

const options = { signal: new AbortController().signal, deadline: 0 }

/** Kept in memory, as JSON. */
function memory(): SecretPort & { kept: Map<string, string> } {
  const kept = new Map<string, string>()
  return {
    kept,
    get: async name => JSON.parse(kept.get(name) ?? 'null'),
    put: async (name, value) => void kept.set(name, JSON.stringify(value)),
    drop: async name => kept.delete(name),
    keyPlace: () => 'file',
  }
}

let server: OidcServer
afterEach(() => server.close())

async function setUp(settings: OidcSettings = {}, over: Partial<Service> = {}) {
  server = await startOidcServer(settings)
  const service: Service = {
    name: 'demo',
    issuer: server.issuer,
    deviceAuthorizationEndpoint: null,
    tokenEndpoint: null,
    revocationEndpoint: null,
    clientId: server.clientId,
    scopes: ['openid'],
    origins: [server.issuer],
    setup: null,
    ...over,
  }
  const clock = { ahead: 0, pass: (seconds: number) => (clock.ahead += seconds * 1000) }
  const secrets = memory()
  const log = recordingLog()
  const signIns = createSignIns({ secrets, log, now: () => Date.now() + clock.ahead })
  const signIn = async () => {
    const prompt = await signIns.start(service, options)
    await server.person.approve(prompt.user_code)
    clock.pass(prompt.interval)
    return signIns.check('demo', options)
  }
  const token = (refused?: string) =>
    signIns.token(
      { service: 'demo', url: server.userinfo, ...(refused !== undefined && { refused }) },
      options,
    )
  const whoami = async (bearer: string) =>
    (await fetch(server.userinfo, { headers: { authorization: `Bearer ${bearer}` } })).json()
  return { service, clock, secrets, log, signIns, signIn, token, whoami }
}

describe('signing in by a code', () => {
  it('is pending until the person agrees, and then gives a bearer that the service takes', async () => {
    const { service, signIns, clock, token, whoami } = await setUp()
    const prompt = await signIns.start(service, options)
    expect(prompt).toMatchObject({
      verification_uri: `${server.issuer}/device`,
      verification_uri_complete: `${server.issuer}/device?user_code=${prompt.user_code}`,
      expires_in: 600,
      interval: 1,
    })
    clock.pass(1)
    expect(await signIns.check('demo', options)).toMatchObject({ state: 'pending', retry_after_s: 1 })
    await server.person.approve(prompt.user_code)
    clock.pass(1)
    const done = await signIns.check('demo', options)
    expect(done).toMatchObject({ state: 'authorized', scopes: ['openid'] })
    expect(await whoami(await token())).toMatchObject({ sub: 'mei' })
    expect(await signIns.check('demo', options)).toEqual(done)
    expect(await signIns.state('demo')).toMatchObject({ state: 'logged_in', renews: true })
  })

  it('asks the service no sooner than it allows, and later still after slow_down', async () => {
    const { service, signIns, clock } = await setUp({ interval: 3 })
    await signIns.start(service, options)
    for (let n = 0; n < 5; n++)
      expect(await signIns.check('demo', options)).toMatchObject({ state: 'pending', retry_after_s: 3 })
    expect(server.asked).toEqual([])
    clock.pass(3)
    server.slowDownOnce()
    expect(await signIns.check('demo', options)).toMatchObject({
      state: 'pending',
      retry_after_s: 8,
      prompt: { interval: 8 },
    })
    clock.pass(7)
    await signIns.check('demo', options)
    expect(server.asked).toHaveLength(1)
    clock.pass(1)
    await Promise.all([signIns.check('demo', options), signIns.check('demo', options)])
    expect(server.asked).toHaveLength(2)
  })

  it('started twice is one sign-in, with one code', async () => {
    const { service, signIns } = await setUp()
    const [first, second] = await Promise.all([
      signIns.start(service, options),
      signIns.start(service, options),
    ])
    expect(second.user_code).toBe(first.user_code)
  })

  it('that is refused is denied, and then over', async () => {
    const { service, signIns, clock, token } = await setUp()
    const prompt = await signIns.start(service, options)
    await server.person.deny(prompt.user_code)
    clock.pass(1)
    expect(await signIns.check('demo', options)).toEqual({ state: 'denied' })
    expect(await signIns.check('demo', options)).toEqual({ state: 'none' })
    await expect(token()).rejects.toMatchObject({ code: 'auth_required' })
  })

  it('that nobody answers expires, by our clock or by theirs', async () => {
    const { service, signIns, clock } = await setUp({ deviceCodeLife: 600 })
    await signIns.start(service, options)
    clock.pass(600)
    expect(await signIns.check('demo', options)).toEqual({ state: 'expired' })
    expect(server.asked).toEqual([])
    expect((await signIns.start(service, options)).expires_in).toBe(600)
  })

  it('says what is missing or wrong in the description of the service', async () => {
    const { service, signIns } = await setUp()
    const start = (over: Partial<Service>) => signIns.start({ ...service, ...over }, options)
    await expect(start({ clientId: null, setup: 'register one' })).rejects.toThrow(
      /services\.demo\.client_id.*register one/,
    )
    await expect(start({ clientId: 'nobody' })).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(start({ issuer: null })).rejects.toMatchObject({ code: 'config_invalid' })
    await expect(start({ issuer: 'http://oidc.example' })).rejects.toThrow(/not https/)
    await expect(start({ issuer: 'http://127.0.0.1:9' })).rejects.toMatchObject({ code: 'network_error' })
    await expect(start({ tokenEndpoint: `${server.issuer}/token`, issuer: null })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})

describe('a bearer', () => {
  it('goes to the origins of its service alone', async () => {
    const { signIn, signIns } = await setUp()
    await signIn()
    const asked = signIns.token({ service: 'demo', url: 'https://evil.example/' }, options)
    await expect(asked).rejects.toMatchObject({ code: 'origin_not_allowed' })
  })

  it('is renewed before it expires, once for all who ask, with the new refresh token kept', async () => {
    const { signIn, token, clock, whoami } = await setUp({ accessTokenLife: 100 })
    await signIn()
    const first = await token()
    clock.pass(80)
    expect(await token()).toBe(first)
    clock.pass(11)
    const bearers = await Promise.all(Array.from({ length: 10 }, () => token()))
    expect(new Set(bearers).size).toBe(1)
    expect(bearers[0]).not.toBe(first)
    const renewals = () => server.asked.filter(({ grant }) => grant === 'refresh_token')
    expect(renewals()).toHaveLength(1)
    // The provider takes each refresh token once: the second renewal shows that the rotated one was kept.
    clock.pass(95)
    expect(await whoami(await token())).toMatchObject({ sub: 'mei' })
    expect(renewals().map(({ status }) => status)).toEqual([200, 200])
  })

  it('that the service no longer takes is renewed, and the sign-in over when that fails too', async () => {
    const { signIn, token, signIns } = await setUp()
    await signIn()
    const first = await token()
    const second = await token(first)
    expect(second).not.toBe(first)
    expect(await token(first)).toBe(second)
    await server.revokeAll()
    await expect(token(second)).rejects.toThrow(/sign-in has ended/)
    expect(await signIns.state('demo')).toMatchObject({ state: 'logged_out' })
  })

  it('still serves while a renewal cannot be had, and not once it is over', async () => {
    const { signIn, token, clock, log, secrets } = await setUp({ accessTokenLife: 100 })
    await signIn()
    const first = await token()
    const kept = JSON.parse(secrets.kept.get('token.demo') ?? '')
    kept.endpoints.token = 'http://127.0.0.1:9/token'
    secrets.kept.set('token.demo', JSON.stringify(kept))
    clock.pass(95)
    expect(await token()).toBe(first)
    expect(log.lines.map(({ level }) => level)).toContain('warn')
    clock.pass(10)
    await expect(token()).rejects.toMatchObject({ code: 'network_error' })
  })

  it('forgotten is revoked at the service as well', async () => {
    const { signIn, token, signIns, whoami, secrets } = await setUp()
    await signIn()
    const bearer = await token()
    expect(await signIns.forget('demo', options)).toEqual({ forgot: true, revoked: true })
    expect(await whoami(bearer)).toMatchObject({ error: 'invalid_token' })
    expect([...secrets.kept.keys()]).toEqual([])
    expect(await signIns.forget('demo', options)).toEqual({ forgot: false, revoked: false })
  })
})
