import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpAgent, mcpStdioAgent } from '../support/agents.ts'
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts'
import { addAdapters } from '../support/overlay.ts'
import { spawnProcess } from '../support/processes.ts'
import { CLI, type CliRun, type Product, startProduct } from '../support/product.ts'

interface Sign {
  state: string
  user_code: string
  verification_uri: string
  retry_after_s: number
}

let product: Product
let oidc: OidcServer
let hasty: OidcServer
beforeAll(async () => {
  ;[product, oidc, hasty] = await Promise.all([
    startProduct(),
    startOidcServer({ accessTokenLife: 3600 }),
    startOidcServer({ deviceCodeLife: 2 }),
  ])
  const settings: [string, string][] = [
    ...(['demo', 'other'] as const).flatMap(service => settingsOf(service, oidc)),
    ...settingsOf('hasty', hasty),
    ['policy.profile', 'open'],
  ]
  for (const [key, value] of settings) expect((await product.cli('config', 'set', key, value)).code).toBe(0)
  await addAdapters(product, 'demo', {
    me: adapter(oidc.issuer),
    // Its origin is not one that the service names.
    elsewhere: adapter('https://elsewhere.example'),
  })
})
afterAll(async () => {
  await product?.close()
  await Promise.all([oidc?.close(), hasty?.close()])
})

const settingsOf = (service: string, { issuer, clientId }: OidcServer): [string, string][] => [
  [`services.${service}.issuer`, issuer],
  [`services.${service}.client_id`, clientId],
  [`services.${service}.scopes`, '[openid]'],
  [`services.${service}.origins`, `[${issuer}]`],
]

const adapter = (base: string): string => `type: web-api
strategy: header
effect: read
base: ${base}
auth: { service: demo }
pipeline:
  - fetch: me
columns: [sub]
`

const signOf = (run: CliRun): Sign => run.json().data as Sign
const check = async (service: string): Promise<string> =>
  signOf(await product.cli('auth', 'check', service, '--json')).state
/** Until the service was asked again, which is a second later at most. */
const becomes = (service: string, state: string) =>
  expect.poll(() => check(service), { timeout: 20_000, interval: 100 }).toBe(state)

/** Every file of the home, by its path, as text. */
const homeFiles = (): [string, string][] =>
  readdirSync(product.env.unicliHome, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => [path, readFileSync(path, 'latin1')])

describe('signing in to a service by code', () => {
  it('answers at once what the person must do, then that it is done, and an adapter uses the token', async () => {
    const begun = await product.cli('auth', 'login', 'demo', '--no-wait', '--json')
    expect([begun.code, begun.stderr]).toEqual([0, ''])
    const { user_code } = signOf(begun)
    expect(signOf(begun)).toMatchObject({
      state: 'pending',
      verification_uri: `${oidc.issuer}/device`,
      verification_uri_complete: `${oidc.issuer}/device?user_code=${user_code}`,
    })
    expect(signOf(await product.cli('auth', 'login', 'demo', '--no-wait', '--json')).user_code).toBe(
      user_code,
    )
    expect(await check('demo')).toBe('pending')
    const early = await product.run('demo.me')
    expect(early.error).toMatchObject({
      code: 'auth_required',
      suggestion: expect.stringContaining('auth login demo'),
    })

    await oidc.person.approve(user_code)
    await becomes('demo', 'authorized')
    expect((await product.run('demo.me')).data).toMatchObject({ sub: 'mei' })
    expect((await product.run('demo.elsewhere')).error?.code).toBe('origin_not_allowed')
    const status = await product.cli('auth', 'status', 'demo', '--json')
    expect(status.json().data).toContainEqual(
      expect.objectContaining({ name: 'demo', kind: 'service', state: 'logged_in' }),
    )
    // Who is logged in already is not sent to enter a code.
    expect(signOf(await product.cli('auth', 'login', 'demo', '--json')).state).toBe('authorized')
  })

  it('survives a restart of the companion, and its secrets stand in no file, answer or log', async () => {
    await product.cli('daemon', 'stop')
    await product.cli('daemon', 'start')
    expect((await product.run('demo.me')).data).toMatchObject({ sub: 'mei' })
    expect(oidc.tokens.size).toBeGreaterThan(2)
    const shown = (await product.cli('runs', 'list', '--json', '--limit', '100')).stdout
    for (const [where, text] of [...homeFiles(), ['the list of runs', shown]])
      for (const token of oidc.tokens) expect([where, text?.includes(token)]).toEqual([where, false])
    for (const name of readdirSync(join(product.env.unicliHome, 'secrets')))
      expect(statSync(join(product.env.unicliHome, 'secrets', name)).mode & 0o777).toBe(0o600)
  })

  it('waits for the person where that is wanted, with the code on stderr', async () => {
    const waiting = await spawnProcess(process.execPath, [CLI, 'auth', 'login', 'other'], {
      env: product.env.env,
    })
    const codeShown = () => /enter ([A-Z-]{9})/.exec(waiting.stderr())?.[1]
    await expect.poll(codeShown, { timeout: 20_000 }).toBeDefined()
    await oidc.person.approve(codeShown() ?? '')
    expect((await waiting.exited).code).toBe(0)
    expect(JSON.parse(waiting.stdout()).data).toMatchObject({ state: 'authorized', service: 'other' })
  })

  it('that is waited for ends by Ctrl-C, and can still be checked', async () => {
    await product.cli('auth', 'forget', 'other')
    const waiting = await spawnProcess(process.execPath, [CLI, 'auth', 'login', 'other'], {
      env: product.env.env,
    })
    await expect.poll(() => waiting.stderr(), { timeout: 20_000 }).toContain('enter ')
    waiting.child.kill('SIGINT')
    expect((await waiting.exited).code).not.toBe(0)
    expect(await check('other')).toBe('pending')
  })

  it('that the person refuses is denied, and over', async () => {
    const begun = await product.cli('auth', 'login', 'other', '--no-wait', '--json')
    await oidc.person.deny(signOf(begun).user_code)
    await becomes('other', 'denied')
    expect(await check('other')).toBe('none')
  })

  it('that nobody answers expires', async () => {
    await product.cli('auth', 'login', 'hasty', '--no-wait', '--json')
    await becomes('hasty', 'expired')
    const waited = await product.cli('auth', 'login', 'hasty', '--json')
    expect([waited.code, waited.json().error?.message]).toEqual([77, expect.stringContaining('expired')])
  })

  it('is the same over HTTP and MCP', async () => {
    const mcp = await mcpStdioAgent(product, 'mcp')
    for (const agent of [httpAgent(product, 'http'), mcp]) {
      await product.cli('auth', 'forget', 'other')
      const begun = await agent.run('auth.login', { target: 'other', wait: false }, {})
      expect(begun.data).toMatchObject({ state: 'pending', service: 'other' })
      await oidc.person.approve((begun.data as Sign).user_code)
      const state = async () => {
        const answer = await agent.run('auth.check', { service: 'other' }, {})
        return (answer.data as Sign).state
      }
      await expect.poll(state, { timeout: 20_000, interval: 100 }).toBe('authorized')
    }
    await mcp.close()
  })

  it('is taken back by forgetting, at the service too', async () => {
    const forgot = await product.cli('auth', 'forget', 'demo', '--json')
    expect(forgot.json().data).toEqual({ name: 'demo', tokens: true, revoked: true, cookies: false })
    expect((await product.run('demo.me')).error?.code).toBe('auth_required')
  })

  it('says how to get a client id where none is set', async () => {
    const run = await product.cli('auth', 'login', 'github', '--no-wait', '--json')
    expect([run.code, run.json().error?.message]).toEqual([
      78,
      expect.stringContaining('unicli config set services.github.client_id'),
    ])
  })
})

describe("a site's cookies", () => {
  const SECRET = 'planted-session-0123456789'
  const jar = () => {
    const { hostname } = new URL(oidc.issuer)
    const row = (domain: string, expires: number, name: string) =>
      [domain, 'FALSE', '/', 'FALSE', expires, name, SECRET].join('\t')
    const rows = [row(hostname, 0, 'sid'), row(hostname, 1, 'old'), row('.bank.example', 0, 'bank')]
    return `# Netscape HTTP Cookie File\n${rows.join('\n')}\n`
  }

  it('are kept from what was exported, those of other sites left out, and written for their owner alone', async () => {
    const run = await product.cliWith({ input: jar() }, 'auth', 'import', 'demo', '--cookies', '-', '--json')
    expect(run.json().data).toMatchObject({ site: 'demo', kept: 1, expired: 1, of_other_sites: 1 })
    const kept = join(product.env.unicliHome, 'cookies', 'demo.json')
    expect(statSync(kept).mode & 0o777).toBe(0o600)
    expect(readFileSync(kept, 'utf8')).not.toContain('bank')

    for (const [name, format] of [
      ['a.json', 'playwright'],
      ['b.txt', 'netscape'],
    ] as const) {
      const written = await product.cli('auth', 'export', 'demo', name, '--as', format, '--json')
      expect(written.stderr + written.stdout).not.toContain(SECRET)
      const { file } = written.json().data as { file: string }
      expect(written.json().data).toEqual({ site: 'demo', file, format, cookies: 1 })
      expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8').includes(SECRET)]).toEqual([
        0o600,
        true,
      ])
      const again = await product.cliWith({}, 'auth', 'import', 'demo', name, '--json')
      expect(again.json().data).toMatchObject({ kept: 1 })
    }
    const taken = await product.cli('auth', 'export', 'demo', 'a.json', '--json')
    expect(taken.json().error?.code).toBe('already_exists')
    expect((await product.cli('auth', 'forget', 'demo', '--json')).json().data).toMatchObject({
      cookies: true,
    })
    for (const [where, text] of homeFiles())
      if (!where.includes(`${sep}files${sep}`)) expect([where, text.includes(SECRET)]).toEqual([where, false])
  })
})
