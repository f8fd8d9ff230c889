import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Envelope } from '../../shared/envelope.ts'
import { FAILURES, type FailureCode } from '../../shared/failures.ts'
import { valid } from '../support/envelope-check.ts'
import { type FixtureSite, startFixtureSite } from '../support/fixture-site.ts'
import { type Product, startProduct } from '../support/product.ts'

/** Adapters that end each in a way of its own; the class that an agent reads is the point. */
const ADAPTERS: Record<string, string> = {
  good: 'pipeline: [{ fetch: /api/items }, { select: items }, { limit: 2 }]',
  auth: 'pipeline: [{ fetch: /api/me }]',
  drift: 'pipeline: [{ fetch: /api/items }, { select: moved.away }]',
  environment: 'pipeline: [{ fetch: /api/broken }]',
  policy: "pipeline: [{ fetch: \"${{ 'https://elsewhere' + '.example/' }}\" }]",
  adapter: "pipeline: [{ fetch: /api/items }, { map: { x: '${{ item.nothing.at_all }}' } }]",
  wide: 'columns: [id]\npipeline: [{ fetch: /api/items }, { select: items }, { limit: 2 }, { map: { id: "${{ item.id }}", at: "${{ index }}", deep: "${{ item }}" } }]',
  empty: 'pipeline: [{ fetch: /api/empty }, { filter: "item == 0" }]',
}

/** Options of a run as JSON says them and as flags do. */
const VIEWS: readonly [options: object, flags: readonly string[]][] = [
  [{}, []],
  [{ select: '0.deep' }, ['--select', '0.deep']],
  [{ select: '$[*].at' }, ['--select', '$[*].at']],
  [{ fields: ['at', 'deep.id'] }, ['--fields', 'at,deep.id']],
  [{ pluck: 'id' }, ['--pluck', 'id']],
  [{ brief: true }, ['--brief']],
  [{ full: true }, ['--full']],
]

const FAILING: readonly [name: string, args: Record<string, unknown>, code: FailureCode][] = [
  ['parity.auth', {}, 'auth_required'],
  ['parity.drift', {}, 'select_missed'],
  ['parity.environment', {}, 'upstream_unavailable'],
  ['parity.policy', {}, 'origin_not_allowed'],
  ['parity.adapter', {}, 'expression_error'],
  ['parity.good', { nope: 1 }, 'invalid_args'],
  ['parity.gone', {}, 'unknown_operation'],
  ['browser.click', { target: 'css=a' }, 'no_browser'],
]

describe('CLI, HTTP and MCP', () => {
  let site: FixtureSite
  let product: Product
  let mcp: Client

  beforeAll(async () => {
    ;[site, product] = await Promise.all([startFixtureSite(), startProduct()])
    const shipped = (await product.status(() => true)).operations
    const folder = join(product.env.unicliHome, 'adapters', 'parity')
    await mkdir(folder, { recursive: true })
    await Promise.all(
      Object.entries(ADAPTERS).map(([name, pipeline]) => {
        const head = `site: parity\nname: ${name}\ndescription: End in the way called ${name}.\ntype: web-api\nstrategy: public\neffect: read`
        return writeFile(join(folder, `${name}.yaml`), `${head}\nbase: ${site.url}\n${pipeline}\n`)
      }),
    )
    const { http_url: url } = await product.discovery()
    const authorization = `Bearer ${await product.token()}`
    mcp = new Client({ name: 'parity', version: '1' })
    await mcp.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', url), {
        requestInit: { headers: { authorization } },
      }),
    )
    await product.status(status => status.operations === shipped + Object.keys(ADAPTERS).length)
  })
  afterAll(async () => {
    await mcp?.close()
    await product?.close()
    await site?.stop()
  })

  const operations = async (): Promise<string[]> => {
    const answer = (await (await product.http('/v1/operations?limit=1000')).json()) as {
      operations: { operation: string }[]
    }
    return answer.operations.map(each => each.operation)
  }
  const overCli = async (
    id: string,
    args: Record<string, unknown>,
    flags: readonly string[] = [],
  ): Promise<Envelope> => {
    const run = await product.cli(...id.split('.'), '--args', JSON.stringify(args), '-f', 'json', ...flags)
    const envelope = valid(run.json())
    expect(run.code).toBe(envelope.exit_code)
    return envelope
  }
  const overMcp = async (
    id: string,
    args: Record<string, unknown>,
    options: object = {},
  ): Promise<Envelope> => {
    const result = await mcp.callTool({
      name: 'run',
      arguments: { operation: id, args, options: { brief: false, ...options } },
    })
    const envelope = valid(result.structuredContent)
    expect(result.isError ?? false).toBe(!envelope.ok)
    return envelope
  }

  it('list the same operations', async () => {
    const overHttp = await operations()
    const cli = (await product.cli('list', '-f', 'json')).json().data as { operation: string }[]
    expect(cli.map(each => each.operation)).toEqual(overHttp)
    expect(overHttp).toEqual(overHttp.toSorted())
    for (const id of ['browser.click', 'hackernews.top', 'mediawiki.edit', 'parity.good'])
      expect(overHttp).toContain(id)
  })

  it('describe every operation in the same words', async () => {
    for (const id of await operations()) {
      const http = await (await product.http(`/v1/operations/${id.replace('.', '/')}`)).json()
      const described = await mcp.callTool({ name: 'describe', arguments: { operation: id } })
      expect(described.structuredContent, id).toEqual(http)
    }
    const cli = (await product.cli('describe', 'mediawiki.edit', '-f', 'json')).json().data
    expect(cli).toMatchObject(await (await product.http('/v1/operations/mediawiki/edit')).json())
  })

  it.each(VIEWS)('give the same data with the options %j', async (options, flags) => {
    const answers = [
      await overCli('parity.wide', {}, flags),
      await product.run('parity.wide', {}, { ...options }),
      await overMcp('parity.wide', {}, options),
    ].map(valid)
    expect(answers[0]?.ok).toBe(true)
    for (const { data, meta } of answers) {
      expect(data).toEqual(answers[0]?.data)
      expect({ ...meta, run_id: '', duration_ms: 0 }).toEqual({
        ...answers[0]?.meta,
        run_id: '',
        duration_ms: 0,
      })
    }
  })

  it('give a model the declared columns alone, and everything when it asks', async () => {
    const typed = valid((await product.cli('parity', 'wide')).json())
    const called = await mcp.callTool({ name: 'run', arguments: { operation: 'parity.wide' } })
    for (const { data, meta } of [typed, valid(called.structuredContent)]) {
      expect((data as object[]).map(row => Object.keys(row))).toEqual([['id'], ['id']])
      expect(meta.left_out).toEqual(['at', 'deep'])
    }
  })

  it('stream the same events and then the envelope', async () => {
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { type?: string; step?: string; ok?: boolean })
    const overHttp = await product.http('/v1/operations/parity/good', {
      method: 'POST',
      body: '{}',
      headers: { accept: 'application/x-ndjson' },
    })
    const http = lines(await overHttp.text())
    const cli = lines((await product.cli('parity', 'good', '--stream')).stdout)
    const told: string[] = []
    await mcp.callTool(
      { name: 'run', arguments: { operation: 'parity.good' } },
      { onprogress: ({ message }) => told.push(message ?? '') },
    )
    const names = (events: typeof http) => events.map(({ type, step }) => [type, step])
    expect(names(cli)).toEqual(names(http))
    expect(cli.at(-1)).toMatchObject({
      ok: true,
      data: http.at(-1) && (http.at(-1) as { data?: unknown }).data,
    })
    valid(cli.at(-1))
    expect(cli.filter(({ type }) => type === 'step')).toHaveLength(6)
    expect(told).toEqual(expect.arrayContaining(['parity.good', 'fetch: started', 'limit: done']))
  })

  it.each(FAILING)('end %s %j with %s, its exit code and its HTTP status', async (id, args, code) => {
    const path = `/v1/operations/${id.replace('.', '/')}`
    const response = await product.http(path, { method: 'POST', body: JSON.stringify({ args }) })
    const envelopes = [await overCli(id, args), valid(await response.json()), await overMcp(id, args)]
    const { exit, http, class: failureClass, retry } = FAILURES[code]
    expect(response.status).toBe(http)
    for (const { exit_code, error } of envelopes) {
      expect(error).toMatchObject({ code, class: failureClass, retryable: retry })
      expect(exit_code).toBe(exit)
      expect(error).toEqual(envelopes[0]?.error)
    }
  })
})
