import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Product, startProduct } from '../support/product.ts'

/** `unicli repair` on the built product: an adapter of the person's own, its site on loopback, and the site drifts. */
const ROWS = [
  { name: 'Harbour light', height: 31, keeper: 'Ingrid' },
  { name: '北の灯台', height: 44, keeper: '健' },
  { name: 'Old mole', height: 12, keeper: 'Pàul' },
]
const fixture = (url: string, rows: typeof ROWS, limit: number) => ({
  title: `lists ${rows.length} lights`,
  kind: 'replay',
  after: 'the server of the test',
  args: { limit },
  answers: [{ url: `${url}/lights?limit=${limit}`, json: { lights: rows } }],
  expect: { rows_min: rows.length, columns: ['name', 'height', 'keeper'] },
})

describe('unicli repair', () => {
  let product: Product
  let server: Server
  let answer: (limit: number) => { status?: number; type?: string; body: string }
  const file = () => join(product.env.unicliHome, 'adapters', 'lights', 'list.yaml')

  beforeAll(async () => {
    product = await startProduct()
    server = createServer((request, response) => {
      const limit = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('limit'))
      const { status = 200, type = 'application/json', body } = answer(limit)
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const folder = join(product.env.unicliHome, 'adapters', 'lights')
    mkdirSync(join(folder, 'fixtures', 'list'), { recursive: true })
    writeFileSync(
      file(),
      `# My lights.
site: lights
name: list
type: web-api
strategy: public
effect: read
base: ${url}
args:
  limit: { type: integer, default: 3 }
pipeline:
  - fetch: { url: lights, query: { limit: "\${{ args.limit }}" } }
  - select: lights # all of them
  - map:
      name: \${{ item.name }}
      height: \${{ item.height }}
      keeper: \${{ item.keeper }}
columns: [name, height, keeper]
`,
    )
    for (const [name, rows] of [
      ['all', ROWS],
      ['two', ROWS.slice(0, 2)],
    ] as const)
      writeFileSync(
        join(folder, 'fixtures', 'list', `${name}.json`),
        JSON.stringify(fixture(url, [...rows], rows.length)),
      )
    await product.status(status => status.operations > 0)
  })
  afterAll(async () => {
    await product?.close()
    await new Promise(resolve => server?.close(resolve))
  })

  const drifted = (limit: number) => ({
    body: JSON.stringify({
      data: {
        entries: ROWS.slice(0, limit).map(({ keeper, ...row }) => ({ ...row, guardian: { name: keeper } })),
      },
    }),
  })

  it('finds nothing to mend while the site answers as it did', async () => {
    answer = limit => ({ body: JSON.stringify({ lights: ROWS.slice(0, limit) }) })
    const run = await product.cli('repair', 'lights', 'list', '-f', 'json')
    expect(run.json()).toMatchObject({ ok: true, data: { outcome: 'healthy', patch: null } })
  })

  it('proposes a patch, writes it only when told to, and takes it back', async () => {
    answer = drifted
    const before = readFileSync(file(), 'utf8')
    const proposed = await product.cli('repair', 'lights', 'list', '-f', 'json')
    expect(proposed.json()).toMatchObject({
      data: { outcome: 'mended', applied: false, verified: { compared: 1, held_out: 1 } },
    })
    expect(readFileSync(file(), 'utf8')).toBe(before)
    const applied = await product.cli('repair', 'lights', 'list', '--apply')
    expect([applied.code, applied.stderr]).toEqual([0, ''])
    const after = readFileSync(file(), 'utf8')
    expect(after).toContain('# My lights.')
    expect(after).toContain('  - select: data.entries # all of them')
    expect(after).toContain('keeper: ${{ item.guardian.name }}')
    expect((await product.run('lights.list', { limit: 2 })).data).toEqual(ROWS.slice(0, 2))
    const back = await product.cli('repair', 'lights', 'list', '--rollback')
    expect(back.code).toBe(0)
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })

  it('is the same over HTTP', async () => {
    answer = drifted
    expect(await product.run('unicli.repair', { site: 'lights', command: 'list' })).toMatchObject({
      ok: true,
      data: { outcome: 'mended', diagnosis: { kind: 'drift', code: 'select_missed' } },
    })
  })

  it('tells a login, and mends nothing', async () => {
    answer = () => ({ type: 'text/html', body: '<title>Sign in</title><input type="password">' })
    const run = await product.cli('repair', 'lights', 'list', '--apply', '-f', 'json')
    expect(run.json()).toMatchObject({ ok: false, error: { code: 'auth_required' }, exit_code: 77 })
    expect(run.code).toBe(77)
  })

  it('refuses where nothing can be taken for what is gone', async () => {
    answer = limit => ({
      body: JSON.stringify({
        lights: ROWS.slice(0, limit).map(({ keeper: _, ...row }) => ({ ...row, badge: 'new' })),
      }),
    })
    const run = await product.cli('repair', 'lights', 'list', '-f', 'json')
    expect(run.json()).toMatchObject({
      error: { code: 'not_repairable', message: expect.stringContaining('item.keeper') },
      exit_code: 69,
    })
  })
})
