import { har } from 'har-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunRecord } from '../../companion/ports/state.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { valid } from '../support/envelope-check.ts'
import { addAdapters } from '../support/overlay.ts'
import { type PageServer, startPageServer } from '../support/page-server.ts'
import { type CliRun, type Product, startProduct } from '../support/product.ts'

const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(1500, 'zQ9')])
const LONG = '語'.repeat(3000)

describe('the ledger of the product', () => {
  let product: Product
  let site: PageServer
  let items: object[] = [
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
  ]
  let written = 0

  beforeAll(async () => {
    const json = (value: () => unknown) => (_: unknown, response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value()))
    }
    ;[product, site] = await Promise.all([
      startProduct(),
      startPageServer({
        '/items': json(() => items),
        '/long': json(() => [{ id: 1, text: LONG, icon: PNG.toString('base64') }]),
        '/write': json(() => ({ written: ++written })),
      }),
    ])
    const head = (effect: string) =>
      `description: Do what the test wants.\ntype: web-api\nstrategy: public\neffect: ${effect}\nbase: ${site.url}\n`
    await addAdapters(product, 'shop', {
      items: `${head('read')}pipeline: [{ fetch: items }]\n`,
      long: `${head('read')}pipeline: [{ fetch: long }]\n`,
      write: `${head('write')}pipeline: [{ fetch: { url: write, method: POST } }]\n`,
    })
  })
  afterAll(async () => {
    await product?.close()
    await site?.close()
  })

  const dataOf = <T>(run: CliRun): T => {
    const { ok, data, error } = valid(run.json())
    if (!ok) throw new Error(error.message)
    return data as T
  }
  const runIdOf = (envelope: Envelope): string => valid(envelope).meta.run_id

  it('finds runs by operation, site, state and time', async () => {
    const id = runIdOf(await product.run('shop.items'))
    await product.run('shop.items', { nope: 1 })
    const list = async (...args: string[]) =>
      dataOf<RunRecord[]>(await product.cli('runs', 'list', '-f', 'json', ...args)).map(run => run.run_id)
    expect(await list('--site', 'shop', '--state', 'ok', '--since', '1h')).toEqual([id])
    expect(await list('--operation', 'shop.items', '--state', 'failed')).toHaveLength(1)
    expect(await list('--site', 'sho')).toEqual([])
    expect(await list('--since', '2999-01-01')).toEqual([])
    const { runs } = await (await product.http('/v1/runs?site=shop&state=ok&since=1h')).json()
    expect(runs.map((run: RunRecord) => run.run_id)).toEqual([id])
    expect((await product.http('/v1/runs?since=soon')).status).toBe(400)
  })

  it('shows a run with its steps, its requests and what its data looked like', async () => {
    const id = runIdOf(await product.run('shop.items', {}, { fields: ['id'] }))
    const record = dataOf<RunRecord>(await product.cli('runs', 'show', id, '-f', 'json'))
    expect(record).toEqual(await (await product.http(`/v1/runs/${id}`)).json())
    expect(record).toMatchObject({
      state: 'ok',
      options: { fields: ['id'] },
      steps: [{ step: 'fetch', code: null }],
      requests: [{ method: 'GET', url: `${site.url}/items`, status: 200, media_type: 'application/json' }],
      shape: { kind: 'list', count: 2, fields: { id: 'number' } },
    })
    expect(record.requests[0]?.response_bytes).toBe(JSON.stringify(items).length)
    const shown = await product.cli('runs', 'show', id, '-f', 'table')
    expect(shown.stdout).toMatch(new RegExp(`GET +200 .*${site.url}/items`))
  })

  it('runs a read once more and tells what is different', async () => {
    const id = runIdOf(await product.run('shop.items'))
    const same = dataOf<object>(await product.cli('runs', 'replay', id, '-f', 'json'))
    expect(same).toMatchObject({
      was: { run_id: id },
      is: { state: 'ok' },
      change: { same: true, rows_kept: 2 },
    })
    items = [
      { id: 1, name: 'one' },
      { id: '2', title: 'two' },
      { id: 3, name: null },
    ]
    const changed = await product.http(`/v1/runs/${id}/replay`, { method: 'POST' })
    expect((await changed.json()).change).toEqual({
      same: false,
      kind: null,
      count: { was: 2, is: 3 },
      fields_added: ['title'],
      fields_gone: [],
      fields_changed: [
        { field: 'id', was: 'number', is: 'number|string' },
        { field: 'name', was: 'string', is: 'null|string' },
      ],
      rows_kept: 1,
      rows_added: 2,
      rows_gone: 1,
    })
  })

  it('runs a write once more only when it is told yes', async () => {
    const id = runIdOf(await product.run('shop.write'))
    const refused = await product.cli('runs', 'replay', id, '-f', 'json')
    expect([refused.code, refused.json().error?.code, written]).toEqual([77, 'policy_denied', 1])
    const overHttp = await product.http(`/v1/runs/${id}/replay`, { method: 'POST', body: '{}' })
    expect([overHttp.status, written]).toEqual([403, 1])
    expect((await product.cli('runs', 'replay', id, '--yes')).code).toBe(0)
    expect(written).toBe(2)
  })

  it('exports runs as JSON, one JSON a line, and an archive that a stock validator accepts', async () => {
    const id = runIdOf(await product.run('shop.items'))
    const one = JSON.parse((await product.cli('runs', 'export', id)).stdout)
    expect(one).toMatchObject([{ run_id: id, operation: 'shop.items' }])
    const lines = (await product.cli('runs', 'export', '--as', 'ndjson', '--site', 'shop')).stdout.trim()
    const records = lines.split('\n').map(line => JSON.parse(line) as RunRecord)
    expect(records[0]).toEqual(one[0])
    const overHttp = await product.http('/v1/runs?site=shop&limit=20', {
      headers: { accept: 'application/x-ndjson' },
    })
    expect((await overHttp.text()).trim()).toBe(lines)
    const archive = JSON.parse((await product.cli('runs', 'export', '--site', 'shop', '--as', 'har')).stdout)
    await har(archive)
    expect(archive.log.entries.length).toBeGreaterThanOrEqual(records.length - 1)
    const single = await (await product.http(`/v1/runs/${id}/har`)).json()
    await har(single)
    expect(single.log.entries).toMatchObject([
      { request: { method: 'GET', url: `${site.url}/items` }, response: { status: 200 } },
    ])
  })

  it('cuts long texts and bytes of an answer, and keeps the whole as evidence', async () => {
    const cut = valid(await product.run('shop.long'))
    const [row] = cut.data as { text: string; icon: { blob: string; media_type: string; bytes: number } }[]
    expect(row?.text).toBe(`${'語'.repeat(1000)}…[+2000 chars]`)
    expect(row?.icon).toMatchObject({ media_type: 'image/png', bytes: PNG.byteLength })
    const icon = await product.http(`/v1/evidence/${row?.icon.blob}`)
    expect(icon.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await icon.arrayBuffer())).toEqual(PNG)
    const whole = cut.evidence.find(({ kind }) => kind === 'data')?.id ?? ''
    const text = (await product.cli('runs', 'evidence', whole)).stdout
    expect(JSON.parse(text)[0].text).toBe(LONG)
    const base64 = (await product.cli('runs', 'evidence', row?.icon.blob ?? '', '--pluck', 'base64')).stdout
    expect(Buffer.from(base64, 'base64')).toEqual(PNG)
    const full = await product.cli('shop', 'long', '--full', '-f', 'json')
    expect(valid(full.json()).data).toMatchObject([{ text: LONG, icon: PNG.toString('base64') }])
    expect((await product.cli('shop', 'long', '-f', 'csv', '--fields', 'text')).stdout).toContain(LONG)
  })
})
