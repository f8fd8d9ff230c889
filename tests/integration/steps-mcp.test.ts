import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeToolServer } from '../support/mcp-tool-server.mjs'
import { type NetworkWorld, networkWorld } from '../support/network-world.ts'
import { isAlive } from '../support/processes.ts'

const SCRIPT = join(import.meta.dirname, '../support/mcp-tool-server.mjs')
const NODE = process.execPath

let world: NetworkWorld
const handler = createMcpHandler(makeToolServer)
const asked: { method: string; session: string | undefined; key: string | undefined }[] = []
const listener = getRequestListener(request => handler.fetch(request))
const server = createServer((request, response) => {
  const { 'mcp-session-id': session, 'x-key': key } = request.headers
  asked.push({ method: request.method ?? '', session: session?.toString(), key: key?.toString() })
  void listener(request, response)
})
let url = ''
beforeAll(async () => {
  world = await networkWorld()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})
afterAll(async () => {
  await handler.close()
  server.closeAllConnections()
  server.close()
  await world.dir.remove()
})

const overStdio = (step: Record<string, unknown>, settings: Parameters<NetworkWorld['run']>[2] = {}) =>
  world.run(
    'https://demo.example',
    [{ mcp_call: { command: [NODE, SCRIPT, '--stdio'], effect: 'read', ...step } }],
    { executables: [NODE], ...settings },
  )
const overHttp = (step: Record<string, unknown>, settings: Parameters<NetworkWorld['run']>[2] = {}) =>
  world.run(new URL(url).origin, [{ mcp_call: { url: '/mcp', effect: 'read', ...step } }], settings)

describe.each([
  ['a program', overStdio],
  ['an address', overHttp],
])('an MCP server that is %s', (_, call) => {
  it('gives its structured content', async () => {
    const envelope = await call({ tool: 'add', args: { a: 1, b: '${{ args.b }}' } }, { args: { b: 2 } })
    expect(envelope.error).toBeNull()
    expect(envelope.data).toEqual({ sum: 3, calls: 1 })
  })

  it('gives text as it is asked for, and every block of several', async () => {
    const say = (text: string, parse?: string) =>
      call({ tool: 'say', args: { text }, ...(parse ? { parse } : {}) })
    expect((await say('[1, "桥"]')).data).toEqual([1, '桥'])
    expect((await say('[1]', 'text')).data).toBe('[1]')
    expect((await say('plain words')).data).toBe('plain words')
    expect((await say('plain words', 'json')).error?.code).toBe('parse_failed')
    expect((await call({ tool: 'picture' })).data).toEqual([
      'a dot',
      { type: 'bytes', media_type: 'image/png', base64: 'AAEC' },
    ])
  })

  it('makes a failure of what a tool calls one, and of a tool that is not there', async () => {
    expect((await call({ tool: 'fail' })).error).toMatchObject({
      code: 'remote_error',
      message: 'The tool fail answered with an error: no such city: 桥.',
    })
    expect((await call({ tool: 'nope' })).error).toMatchObject({ code: 'remote_error' })
  })
})

describe('a program', () => {
  it('is one for all calls of a run, sees declared names only, and is ended with the run', async () => {
    const command = [NODE, SCRIPT, '--stdio']
    process.env.UNICLI_TEST_WEATHER_KEY = 'k1'
    process.env.UNICLI_TEST_OTHER = 'k2'
    const call = (step: object) => ({
      mcp_call: { command, env: ['UNICLI_TEST_WEATHER_KEY'], effect: 'read', ...step },
    })
    const envelope = await world.run(
      'https://demo.example',
      [
        call({ tool: 'add', args: { a: 1, b: 1 } }),
        call({ tool: 'add', args: { a: 1, b: 1 } }),
        { set: { second: '${{ data.calls }}' } },
        call({ tool: 'process' }),
      ],
      { executables: [NODE], env: ['UNICLI_TEST_WEATHER_KEY', 'UNICLI_TEST_OTHER'] },
    )
    const told = envelope.data as { pid: number; env: Record<string, string> }
    expect(told.env.UNICLI_TEST_WEATHER_KEY).toBe('k1')
    expect(told.env.UNICLI_TEST_OTHER).toBeUndefined()
    await expect.poll(() => isAlive(told.pid), { timeout: 8000 }).toBe(false)
    const undeclared = await overStdio({ tool: 'process', env: ['UNICLI_TEST_OTHER'] })
    expect(undeclared.error?.code).toBe('config_invalid')
  })

  it('must be declared, and be there', async () => {
    expect((await overStdio({ tool: 'say' }, { executables: [] })).error?.code).toBe(
      'executable_not_declared',
    )
    const gone = { tool: 'say', command: ['/no/such/program'] }
    expect((await overStdio(gone, { executables: ['/no/such/program'] })).error?.code).toBe('unsupported')
  })

  it('that dies in the middle of a call leaves a write in doubt, and a read failed', async () => {
    expect((await overStdio({ tool: 'die' })).error?.code).toBe('network_error')
    const write = await overStdio({ tool: 'die', effect: undefined }, { effect: 'write' })
    expect(write.error?.code).toBe('outcome_unknown')
  })
})

describe('an address', () => {
  it('gets the headers of the step, on declared origins only', async () => {
    await overHttp({ tool: 'say', args: { text: 'x' }, headers: { 'x-key': 'k' } })
    expect(asked.at(-1)).toMatchObject({ method: 'POST', key: 'k' })
    const other = await world.run('https://demo.example', [
      { mcp_call: { url, tool: 'say', effect: 'read' } },
    ])
    expect(other.error?.code).toBe('origin_not_allowed')
  })
})
