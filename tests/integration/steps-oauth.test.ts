import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type LocalSite, localSite, type NetworkWorld, networkWorld } from '../support/network-world.ts'

let world: NetworkWorld
let api: LocalSite
let auth: LocalSite
let answers: Record<string, unknown>[] = []
const ENV = ['UNICLI_T_ID', 'UNICLI_T_SECRET', 'UNICLI_T_REFRESH']
beforeAll(async () => {
  world = await networkWorld()
  api = await localSite(({ headers }) => ({ as: headers.authorization ?? null }))
  auth = await localSite((_, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer !== undefined && 'error' in answer) response.statusCode = 400
    return answer
  })
  process.env.UNICLI_T_ID = 'my:id'
  process.env.UNICLI_T_SECRET = 'planted secret/桥'
  process.env.UNICLI_T_REFRESH = 'first-refresh'
})
afterAll(async () => {
  for (const name of ENV) delete process.env[name]
  await api.close()
  await auth.close()
  await world.dir.remove()
})
beforeEach(() => {
  auth.seen.length = 0
  answers = [{ access_token: 'token-1', token_type: 'Bearer', expires_in: 3600 }]
})

const step = (over: object = {}) => ({
  oauth2_token: {
    token_url: `${auth.url}/token`,
    client_id_env: 'UNICLI_T_ID',
    client_secret_env: 'UNICLI_T_SECRET',
    scope: 'read',
    ...over,
  },
})
const settings = () => ({ origins: [auth.url], env: ENV, effect: 'read' as const })
const kernel = (over: object = {}, more: readonly unknown[] = [{ fetch: '/me' }]) =>
  world.kernel(api.url, [step(over), ...more], settings())

it('gets a token once and sends it along with every request to base, in later runs too', async () => {
  const run = kernel()
  expect((await run()).data).toEqual({ as: 'Bearer token-1' })
  expect((await run()).data).toEqual({ as: 'Bearer token-1' })
  expect(auth.seen).toHaveLength(1)
  expect(auth.seen[0]).toMatchObject({ method: 'POST', body: 'scope=read&grant_type=client_credentials' })
  const basic = Buffer.from(auth.seen[0]?.headers.authorization?.slice(6) ?? '', 'base64').toString()
  expect(basic).toMatch(/^my%3Aid:planted/)
})

it('gets another one when less than a minute of it is left', async () => {
  answers = [{ access_token: 'short', token_type: 'bearer', expires_in: 59 }]
  const run = kernel()
  await run()
  await run()
  expect(auth.seen).toHaveLength(2)
})

it('sends it nowhere else, shows it to no template, and lets the data pass on', async () => {
  const pipeline = [
    { set: { before: 1 } },
    step(),
    { fetch: `${auth.url}/other` },
    { set: { seen: '${{ vars }}' } },
  ]
  answers = [{ access_token: 'token-1', token_type: 'bearer' }, { ok: true }]
  const envelope = await world.run(api.url, pipeline, settings())
  expect(envelope.data).toEqual({ ok: true })
  expect(auth.seen.at(-1)?.headers.authorization).toBeUndefined()
  expect(JSON.stringify(envelope)).not.toContain('token-1')
})

it('renews by a refresh token, and follows when the server gives a new one', async () => {
  answers = [
    { access_token: 'a1', token_type: 'bearer', expires_in: 1, refresh_token: 'second-refresh' },
    { access_token: 'a2', token_type: 'bearer', expires_in: 3600 },
  ]
  const run = kernel({ grant: 'refresh_token', refresh_token_env: 'UNICLI_T_REFRESH', auth: 'post' })
  expect((await run()).data).toEqual({ as: 'Bearer a1' })
  expect((await run()).data).toEqual({ as: 'Bearer a2' })
  const sent = auth.seen.map(({ body }) => new URLSearchParams(body))
  expect(sent.map(form => form.get('refresh_token'))).toEqual(['first-refresh', 'second-refresh'])
  expect(sent[0]?.get('client_secret')).toBe('planted secret/桥')
})

it('tells what the endpoint refuses, without the secrets', async () => {
  answers = [{ error: 'invalid_client', error_description: 'no such client' }]
  const { error } = await kernel()()
  expect(error).toMatchObject({ code: 'auth_required' })
  expect(error?.message).toContain('invalid_client: no such client')
  expect(JSON.stringify(error)).not.toContain('planted')
})

it('names the variable that is not declared or not set', async () => {
  const { error } = await kernel({ client_id_env: 'HOME' })()
  expect(error).toMatchObject({ code: 'config_invalid', details: { key: 'HOME' } })
})
