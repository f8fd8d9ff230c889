import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ENVELOPE_KEY } from '../../companion/surfaces/mcp/calls.ts'
import { valid } from '../support/envelope-check.ts'
import { ERAS, type Era } from '../support/mcp-rig.ts'
import { spawnProcess } from '../support/processes.ts'
import { CLI, type Product, startProduct } from '../support/product.ts'

describe('MCP of the built product', () => {
  let product: Product
  beforeAll(async () => {
    product = await startProduct()
  })
  afterAll(() => product?.close())

  const overStdio = async (): Promise<Transport> =>
    new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', 'serve'], env: product.env.env })
  const overHttp = async (): Promise<Transport> => {
    const { http_url: url } = await product.discovery()
    const authorization = `Bearer ${await product.token()}`
    return new StreamableHTTPClientTransport(new URL('/mcp', url), {
      requestInit: { headers: { authorization } },
    })
  }
  const ways: [string, Era, () => Promise<Transport>][] = ERAS.flatMap(era => [
    [`${era.revision} over stdio`, era, overStdio],
    [`${era.revision} over HTTP`, era, overHttp],
  ])

  it.each(ways)('is what an SDK client expects: %s', async (_, { mode, revision }, transport) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await client.connect(await transport())
    onTestFinished(() => client.close())

    const { tools } = await client.listTools()
    const found = await client.callTool({ name: 'search', arguments: { query: 'top stories hackernews' } })
    const clicked = await client.callTool({ name: 'browser_click', arguments: { target: 'text=Go' } })

    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    expect(tools.map(tool => tool.name)).toEqual(
      expect.arrayContaining(['run', 'browser_navigate', 'browser_snapshot']),
    )
    expect(encode(JSON.stringify({ tools })).length).toBeLessThanOrEqual(1000)
    expect(JSON.stringify(found.structuredContent)).toContain('hackernews.top')
    expect(clicked.isError).toBe(true)
    expect(clicked.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^no_browser: .+\n.+\nrun \w+$/s) },
    ])
    expect(valid(clicked._meta?.[ENVELOPE_KEY]).error?.code).toBe('no_browser')
  })

  it('answers what is piped into "unicli mcp serve", and writes nothing but messages', async () => {
    const requests = [
      { method: 'tools/call', params: { name: 'describe', arguments: { operation: 'hackernews.top' } } },
      { method: 'tools/list' },
      { method: 'nothing/known' },
    ].map((request, index) => ({ jsonrpc: '2.0', id: index + 1, ...request }))

    const run = await product.cliWith(
      { input: requests.map(request => `${JSON.stringify(request)}\n`).join('') },
      'mcp',
      'serve',
    )

    const lines = run.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(run.code).toBe(0)
    expect(lines.map(line => line.id).toSorted()).toEqual([1, 2, 3])
    expect(lines.find(line => line.id === 1).result.structuredContent.operation).toBe('hackernews.top')
    expect(lines.find(line => line.id === 3).error.code).toBe(-32601)
  })

  it('speaks over one connection as long as the client does', async () => {
    const serving = await spawnProcess(process.execPath, [CLI, 'mcp', 'serve'], { env: product.env.env })
    onTestFinished(async () => void (await serving.stop()))
    const { stdin, stdout } = serving.child
    if (stdin === null || stdout === null) throw new Error('no pipes')
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()

    for (const id of [1, 2, 3]) {
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`)
      expect(JSON.parse((await lines.next()).value).id).toBe(id)
    }
    stdin.end()

    expect((await serving.exited).code).toBe(0)
  })
})
