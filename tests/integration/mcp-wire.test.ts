import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { valid } from '../support/envelope-check.ts'
import { TOKEN } from '../support/http-rig.ts'
import { type McpRig, type Pipe, startMcpRig } from '../support/mcp-rig.ts'
import { waitFor } from '../support/processes.ts'
import { operationOf, type Script, slow } from '../support/scripted-kernel.ts'

const quick: Script = { operation: operationOf('wiki.search'), run: () => ['a'] }
const noisy: Script = {
  operation: operationOf('wiki.noisy'),
  run: ({ emit, runId }) => {
    for (const text of ['1', '2', '3']) emit({ type: 'progress', run_id: runId, text })
    return 'done'
  },
}
let finish: () => void = () => undefined
const held: Script = {
  operation: operationOf('slow.held'),
  run: () =>
    new Promise<string>(resolve => {
      finish = () => resolve('done')
    }),
}

let rig: McpRig | undefined
const start = async () => {
  rig = await startMcpRig([quick, noisy, slow, held])
  return rig
}
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const runOf = (id: number, operation: string, meta?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'run', arguments: { operation }, ...(meta === undefined ? {} : { _meta: meta }) },
})
const write = (pipe: Pipe, ...messages: unknown[]) => {
  for (const message of messages) pipe.toServer.write(`${JSON.stringify(message)}\n`)
}
const read = async (pipe: Pipe) => {
  const { value, done } = await pipe.lines.next()
  return done === true ? null : JSON.parse(value)
}
const post = (of: McpRig, body: unknown, headers: Record<string, string> = {}) =>
  of.http.call('/mcp', { method: 'POST', body, headers })

describe('MCP over a pair of streams, line by line', () => {
  it('answers a tools/call that nothing came before', async () => {
    const pipe = (await start()).pipe()

    write(pipe, runOf(1, 'wiki.search'))

    const { id, result } = await read(pipe)
    expect(id).toBe(1)
    expect(valid(result.structuredContent)).toMatchObject({ ok: true, data: ['a'] })
  })

  it('writes progress before the result, and nothing but messages', async () => {
    const pipe = (await start()).pipe()

    write(pipe, runOf(1, 'wiki.noisy', { progressToken: 'p' }))

    const lines = [await read(pipe), await read(pipe), await read(pipe), await read(pipe), await read(pipe)]
    expect(lines.map(line => line.params?.progress ?? line.id)).toEqual([1, 2, 3, 4, 1])
    expect(lines[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 2, message: '1' },
    })
  })

  it('tells no progress to those who did not ask', async () => {
    const pipe = (await start()).pipe()

    write(pipe, runOf(1, 'wiki.noisy'))

    expect((await read(pipe)).id).toBe(1)
  })

  it('answers lines that are no message, and goes on', async () => {
    const pipe = (await start()).pipe()

    pipe.toServer.write('hello\n\n{"jsonrpc":"2.0","id":{}}\r\n')
    write(pipe, runOf(3, 'wiki.search'))

    expect([await read(pipe), await read(pipe), (await read(pipe)).id]).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      3,
    ])
  })

  it('takes a message that comes in pieces, cut inside of a character', async () => {
    const pipe = (await start()).pipe()
    const bytes = Buffer.from(`${JSON.stringify(runOf(1, 'wiki.search', { note: '犬\u2028' }))}\n`)
    const cut = bytes.indexOf(Buffer.from('犬')) + 1

    pipe.toServer.write(bytes.subarray(0, cut))
    pipe.toServer.write(bytes.subarray(cut))

    expect((await read(pipe)).id).toBe(1)
  })

  it('ends a connection whose line never ends', async () => {
    const of = await start()
    const { toServer, connection } = of.pipe()

    const piece = Buffer.alloc(1024 * 1024, ' ')
    for (let count = 0; count < 17; count += 1) toServer.write(piece)

    await connection.closed
    expect(of.faults).toMatchObject([{ message: expect.stringContaining('longer than') }])
  })

  it('answers what was asked before its client said that it has no more to say', async () => {
    const pipe = (await start()).pipe()

    write(pipe, runOf(1, 'slow.held'), runOf(2, 'wiki.search'))
    pipe.toServer.end()
    expect((await read(pipe)).id).toBe(2)
    finish()

    expect((await read(pipe)).id).toBe(1)
    expect(await read(pipe)).toBeNull()
    await pipe.connection.closed
  })

  it('ends at once, runs too, when its client is gone', async () => {
    const of = await start()
    const pipe = of.pipe()

    write(pipe, runOf(1, 'slow.wait'))
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })
    pipe.toServer.destroy()

    await pipe.connection.closed
    expect(of.kernel.invocations[0]?.signal.aborted).toBe(true)
  })

  it('ends a run that its client cancels, and does not wait for its answer', async () => {
    const of = await start()
    const pipe = of.pipe()

    write(pipe, runOf(1, 'slow.wait'))
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })
    write(pipe, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    pipe.toServer.end()

    expect(await read(pipe)).toBeNull()
    expect(of.kernel.invocations[0]?.signal.aborted).toBe(true)
  })

  it('closes its connections with the surface', async () => {
    const of = await start()
    const pipe = of.pipe()
    write(pipe, runOf(1, 'slow.wait'))
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })

    await Promise.all([of.surface.close(), once(pipe.toClient, 'finish')])

    await pipe.connection.closed
    expect(of.kernel.invocations[0]?.signal.aborted).toBe(true)
  })
})

describe('MCP over HTTP, request by request', () => {
  it.each([
    ['no Accept', undefined],
    ['Accept: */*', '*/*'],
    ['Accept: application/json', 'application/json'],
  ])('answers a plain tools/call with %s as JSON', async (_, accept) => {
    const answer = await post(await start(), runOf(1, 'wiki.search'), accept === undefined ? {} : { accept })

    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch('application/json')
    const { id, result } = await answer.json()
    expect(id).toBe(1)
    expect(valid(result.structuredContent)).toMatchObject({ ok: true })
  })

  it('answers it as an event stream to those who take one', async () => {
    const answer = await post(await start(), runOf(1, 'wiki.noisy', { progressToken: 7 }), {
      accept: 'application/json, text/event-stream',
    })

    expect(answer.headers.get('content-type')).toMatch('text/event-stream')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    const messages = (await answer.text()).match(/^data: .*$/gm)?.map(line => JSON.parse(line.slice(6)))
    expect(messages?.map(message => message.params?.progress ?? message.id)).toEqual([1, 2, 3, 4, 1])
  })

  it('keeps no session: a stale session id does no harm', async () => {
    const answer = await post(await start(), runOf(1, 'wiki.search'), {
      'mcp-session-id': 'of-an-earlier-companion',
    })

    expect(answer.status).toBe(200)
  })

  it('ends the run of a plain caller who hangs up', async () => {
    const of = await start()
    const client = new AbortController()

    const { signal } = client
    const ended = expect(
      of.http.call('/mcp', { method: 'POST', body: runOf(1, 'slow.wait'), signal }),
    ).rejects.toThrow()
    await waitFor(() => of.kernel.invocations.length === 1, { what: 'the run' })
    client.abort()

    await ended
    await waitFor(() => of.kernel.invocations[0]?.signal.aborted, { what: 'the signal to abort' })
  })

  it.each(['GET', 'DELETE'])('has nothing for %s', async method => {
    const answer = await (await start()).http.call('/mcp', {
      method,
      headers: { accept: 'text/event-stream' },
    })

    expect(answer.status).toBe(405)
  })

  it('stands behind the same guard as all the rest', async () => {
    const of = await start()
    const body = JSON.stringify(runOf(1, 'wiki.search'))
    const json = { 'content-type': 'application/json' }
    const from = (headers: Record<string, string>) =>
      fetch(`${of.http.url}/mcp`, { method: 'POST', body, headers })

    expect((await from(json)).status).toBe(401)
    expect(
      (await from({ ...json, authorization: `Bearer ${TOKEN}`, origin: 'http://evil.example' })).status,
    ).toBe(403)
    expect((await from({ 'content-type': 'text/plain', authorization: `Bearer ${TOKEN}` })).status).toBe(415)
    expect(of.kernel.invocations).toEqual([])
  })

  it('names the revisions that it speaks to a client of another one', async () => {
    const answer = await post(
      await start(),
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2031-01-01',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { 'mcp-protocol-version': '2031-01-01', 'mcp-method': 'tools/list' },
    )

    expect(answer.status).toBe(400)
    expect((await answer.json()).error).toMatchObject({ code: -32022, data: { supported: ['2026-07-28'] } })
  })

  it('tells modern clients how long the list of tools holds', async () => {
    const answer = await post(
      await start(),
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/list',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    )

    expect((await answer.json()).result).toMatchObject({
      ttlMs: 300_000,
      cacheScope: 'private',
      resultType: 'complete',
    })
  })
})
