import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addAdapters } from '../support/overlay.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type Product, startProduct } from '../support/product.ts'

/** Ten kinds of secrets, each with a part that nothing else can contain. */
const SECRETS = {
  bearer: 'b3ar3r-Zk4Wq8LmXv2Nt6',
  cookie: 'c00k1e-sid-Hh7Gf5Dd3Ss1',
  basic: Buffer.from('alice:Ba5ic-Pa55-77Qx').toString('base64'),
  apiKey: 'ap1k3y-Uu9Yy7Tt5Rr3Ee1',
  password: 'pa55w0rd: "ü&=%/Öä 密码',
  privateKey: [
    '-----BEGIN PRIVATE KEY-----',
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDPlantedKey',
    '-----END PRIVATE KEY-----',
  ].join('\n'),
  jwt: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.Qm9ndXNTaWduYXR1cmU',
  refreshToken: 'r3fr3sh-Ll2Kk4Jj6Hh8Gg',
  github: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  setCookie: 's3tc00k1e-Pp0Oo9Ii8Uu7',
} as const
const AWS = 'AKIAIOSFODNN7PLANTED'

/** What must be found nowhere: a part of each that survives no form that it may take. */
const TRACES: Record<string, readonly string[]> = {
  ...Object.fromEntries(Object.entries(SECRETS).map(([name, value]) => [name, [value]])),
  basic: [SECRETS.basic, 'Ba5ic-Pa55-77Qx'],
  password: ['pa55w0rd', '密码'],
  privateKey: ['DPlantedKey'],
  jwt: [SECRETS.jwt, 'eyJzdWIiOiJwbGFudGVkIn0'],
  aws: [AWS],
}

describe('secrets', () => {
  let product: Product
  let site: PageServer
  /** Everything that was answered where no secret belongs. */
  const answers: string[] = []

  beforeAll(async () => {
    ;[product, site] = await Promise.all([
      startProduct(),
      startPageServer({
        '/login': (_, response) => {
          const type = { 'content-type': 'application/json' }
          response.writeHead(200, { ...type, 'set-cookie': `session=${SECRETS.setCookie}; HttpOnly` })
          response.end(JSON.stringify([{ ok: true }]))
        },
        '/refused': (_, response) => {
          response.writeHead(404, { 'content-type': 'text/plain' })
          response.end(`no such thing for ${SECRETS.jwt} with ${AWS}`)
        },
        '/tokens': (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          const long = 'x'.repeat(3000)
          response.end(JSON.stringify([{ refresh_token: SECRETS.refreshToken, long }]))
        },
      }),
    ])
    const head = `description: Do what the test wants.\ntype: web-api\nstrategy: public\nbase: ${site.url}\n`
    const secret = (name: string) => `  ${name}: { required: true, secret: true }\n`
    await addAdapters(product, 'vault', {
      login:
        `${head}effect: write\nargs:\n${['bearer', 'cookie', 'basic', 'password', 'key'].map(secret).join('')}` +
        'pipeline:\n' +
        '  - fetch:\n      url: login\n      method: POST\n      headers:\n' +
        '        authorization: \'${{ args.bearer == "-" ? "Basic " + args.basic : "Bearer " + args.bearer }}\'\n' +
        "        cookie: 'sid=${{ args.cookie }}'\n" +
        "      json: { password: '${{ args.password }}', key: '${{ args.key }}' }\n",
      refused:
        `${head}effect: read\nargs:\n${secret('api_key')}  q: { required: true }\n` +
        "pipeline:\n  - fetch: { url: refused, query: { api_key: '${{ args.api_key }}', q: '${{ args.q }}' } }\n",
      echo:
        `${head}effect: read\nargs:\n${secret('password')}` +
        "pipeline:\n  - fetch: { url: login }\n  - select: 'nowhere.${{ args.password }}'\n",
      tokens: `${head}effect: read\npipeline: [{ fetch: tokens }]\n`,
    })
  })
  afterAll(async () => {
    await product?.close()
    await site?.close()
  })

  const asked = async (operation: string, args: Record<string, unknown>, options: object = {}) => {
    const path = `/v1/operations/${operation.replace('.', '/')}`
    const body = JSON.stringify({ args, options })
    const headers = { accept: 'application/x-ndjson' }
    answers.push(await (await product.http(path, { method: 'POST', body, headers })).text())
    const [site = '', command = ''] = operation.split('.')
    const run = await product.cliWith({ input: JSON.stringify(args) }, site, command, '--args', '-')
    answers.push(run.stdout, run.stderr)
  }

  it('reach the site that they are for', async () => {
    const { bearer, cookie, basic, password, privateKey: key } = SECRETS
    await asked('vault.login', { bearer, cookie, basic, password, key })
    await asked('vault.login', { bearer: '-', cookie, basic, password, key }, { dry_run: true })
    const login = site.requests.find(({ path }) => path === '/login')
    expect(login?.headers).toMatchObject({ authorization: `Bearer ${bearer}`, cookie: `sid=${cookie}` })
    expect(JSON.parse(login?.body ?? '')).toEqual({ password, key })
    expect(site.requests.some(({ headers }) => headers.authorization === `Basic ${basic}`)).toBe(true)
  })

  it('are not in what failures say, of whatever kind', async () => {
    const { apiKey: api_key, password, github } = SECRETS
    await asked('vault.refused', { api_key, q: github })
    await asked('vault.echo', { password })
    await asked('vault.login', { bearer: SECRETS.bearer, cookie: [SECRETS.cookie], password })
    expect(site.requests.some(({ path }) => path.includes(api_key) && path.includes(github))).toBe(true)
    expect(answers.join()).toContain('http_error')
    expect(leaksIn(Buffer.from(answers.join('\n')))).toEqual([])
  })

  it('may be in the data that was asked for, but stay with the caller', async () => {
    const envelope = await product.run('vault.tokens')
    expect(JSON.stringify(envelope.data)).toContain(SECRETS.refreshToken)
    expect(envelope.evidence).toHaveLength(1)
  })

  it('are not in the ledger as any surface shows it, nor in the state record', async () => {
    const shown = [
      await (await product.http('/v1/health')).text(),
      await (await product.http('/v1/runs', { headers: { accept: 'application/x-ndjson' } })).text(),
      (await product.cli('runs', 'export', '--as', 'har')).stdout,
    ]
    expect(shown[1]).toContain('vault.refused')
    expect(leaksIn(Buffer.from(shown.join('\n')))).toEqual([])
  })

  it('are in no file of the state folder, while the companion runs and after it has stopped', async () => {
    expect(await leaksUnder(product.env.unicliHome)).toEqual([])
    await product.cli('daemon', 'stop')
    expect(await leaksUnder(product.env.unicliHome)).toEqual([])
    const names = await readdir(product.env.unicliHome, { recursive: true })
    expect(names.join()).toMatch(/state\.db/)
    expect(names.join()).toMatch(/blobs\/../)
    expect(names.join()).toMatch(/logs\/companion\.log/)
  })
})

async function leaksUnder(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const found: string[] = []
  for (const name of names.filter(each => !each.startsWith('adapters'))) {
    const path = join(folder, name)
    if (!(await stat(path)).isFile()) continue
    found.push(...leaksIn(await readFile(path)).map(leak => `${leak} in ${name}`))
  }
  return found
}

/** A secret may also stand there as JSON, a form or base64 writes it. */
function leaksIn(content: Buffer): string[] {
  return Object.entries(TRACES).flatMap(([name, traces]) =>
    traces.flatMap(trace => {
      const forms = [trace, encodeURIComponent(trace), Buffer.from(trace).toString('base64')]
      return forms.some(form => content.includes(form)) ? [name] : []
    }),
  )
}
