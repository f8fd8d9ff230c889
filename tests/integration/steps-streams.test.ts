import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type LocalSite, localSite, type NetworkWorld, networkWorld } from '../support/network-world.ts'

let world: NetworkWorld
let site: LocalSite
let sockets: WebSocketServer
let onSocket: (socket: WebSocket, url: string) => void
const heard: string[] = []
beforeAll(async () => {
  world = await networkWorld()
  site = await localSite()
  sockets = new WebSocketServer({ server: site.server, path: '/ws' })
  sockets.on('connection', (socket, request) => {
    heard.push(`open ${request.headers['x-key'] ?? ''}`)
    socket.on('message', data => heard.push(String(data)))
    onSocket(socket, request.url ?? '')
  })
})
afterAll(async () => {
  for (const client of sockets.clients) client.terminate()
  await site.close()
  await world.dir.remove()
})
beforeEach(() => {
  heard.length = 0
  site.seen.length = 0
})
type Settings = Parameters<NetworkWorld['run']>[2]
const run = (step: unknown, settings: Settings = {}) => world.run(site.url, [step], settings)
const dataOf = async (step: unknown, settings: Settings = {}) => {
  const envelope = await run(step, settings)
  expect(envelope.error).toBeNull()
  return envelope.data
}

describe('server-sent events', () => {
  const streaming = (text: string, ends = false) => {
    site.answer = (_, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(text)
      if (ends) response.end()
    }
  }
  const PRICES =
    ': hello\n\nevent: price\nid: 1\ndata: {"p": 1}\n\ndata: 桥\ndata: two\n\nevent: price\ndata: {"p": 2, "final": true}\n\nevent: price\ndata: {"p": 3}\n\n'

  it('are collected until one fits', async () => {
    streaming(PRICES)
    const step = {
      sse: { url: '/events', event: 'price', count: 3, until: 'item.data.final', timeout_ms: 5000 },
    }
    expect(await dataOf(step)).toEqual([
      { event: 'price', id: '1', data: { p: 1 } },
      { event: 'price', id: null, data: { p: 2, final: true } },
    ])
    expect(site.seen[0]?.headers.accept).toBe('text/event-stream')
  })

  it('are collected until there are enough, the stream ends, or the time is up', async () => {
    streaming(PRICES)
    expect(await dataOf({ sse: { url: '/e', count: 2 } })).toEqual([
      { event: 'price', id: '1', data: { p: 1 } },
      { event: 'message', id: null, data: '桥\ntwo' },
    ])
    expect(await dataOf({ sse: { url: '/e', event: 'price', timeout_ms: 300 } })).toHaveLength(3)
    streaming(PRICES, true)
    expect(await dataOf({ sse: { url: '/e' } })).toHaveLength(4)
  })

  it('end with the run, and are told apart from other answers', async () => {
    streaming('')
    const { error } = await run({ sse: { url: '/e', timeout_ms: 60_000 } }, { timeoutMs: 200 })
    expect(error?.code).toBe('deadline_exceeded')
    site.answer = () => ({ no: 'stream' })
    expect((await run({ sse: { url: '/e' } })).error?.code).toBe('not_data')
    site.answer = (_, response) => response.writeHead(503).end() && undefined
    expect((await run({ sse: { url: '/e' } })).error?.code).toBe('upstream_unavailable')
  })
})

describe('a WebSocket', () => {
  it('is spoken over by a script: expect, send what was learned, collect', async () => {
    onSocket = socket => {
      socket.send('{"type": "noise"}')
      socket.send('{"type": "hello", "session": "s1"}')
      socket.on('message', () => {
        for (let n = 1; n < 9; n++)
          socket.send(JSON.stringify({ type: n % 2 ? 'price' : 'tick', n, 桥: true }))
      })
    }
    const step = {
      websocket: {
        url: '/ws',
        headers: { 'x-key': 'k' },
        effect: 'read',
        exchange: [
          { expect: "item.type == 'hello'", as: 'hello' },
          { send: { type: 'subscribe', session: '${{ vars.hello.session }}', to: '${{ args.to }}' } },
          { collect: { where: "item.type == 'price'", count: 3, timeout_ms: 5000 } },
        ],
      },
    }
    expect(await dataOf(step, { args: { to: '${{ base }}' } })).toEqual(
      [1, 3, 5].map(n => ({ type: 'price', n, 桥: true })),
    )
    expect(heard).toEqual(['open k', '{"type":"subscribe","session":"s1","to":"${{ base }}"}'])
  })

  it('gives the last expected message, bytes as base64 and text as it is', async () => {
    onSocket = socket => {
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    }
    const echo = (send: unknown, expectation: string) => ({
      websocket: { url: '/ws', effect: 'read', exchange: [{ send }, { expect: expectation }] },
    })
    expect(await dataOf(echo('plain 桥', "item == 'plain 桥'"))).toBe('plain 桥')
    expect(await dataOf(echo({ base64: 'AAEC' }, 'item.base64'))).toEqual({ base64: 'AAEC' })
  })

  it('collects until one fits, the other side closes, or the time is up', async () => {
    onSocket = (socket, url) => {
      for (const n of [1, 2, 3]) socket.send(String(n))
      if (url.includes('close')) socket.close()
    }
    const collect = (options: object, url = '/ws') =>
      dataOf({ websocket: { url, exchange: [{ collect: options }] } })
    expect(await collect({ until: 'item == 2' })).toEqual([1, 2])
    expect(await collect({}, '/ws?close')).toEqual([1, 2, 3])
    expect(await collect({ timeout_ms: 200 })).toEqual([1, 2, 3])
  })

  it('that only listens is a read; one that sends is a write whose lost answer is in doubt', async () => {
    onSocket = socket => {
      socket.on('message', () => socket.close())
    }
    const script = { url: '/ws', exchange: [{ send: 'buy' }, { expect: 'item.ok', timeout_ms: 5000 }] }
    const write = await run({ websocket: script }, { effect: 'write' })
    expect(write.error?.code).toBe('outcome_unknown')
    expect(heard.filter(text => text === 'buy')).toHaveLength(1)
    expect((await run({ websocket: { ...script, effect: 'read' } })).error?.code).toBe('network_error')
    onSocket = () => undefined
    const late = { url: '/ws', exchange: [{ expect: 'item.ok', timeout_ms: 50 }] }
    expect((await run({ websocket: late })).error).toMatchObject({
      code: 'deadline_exceeded',
      details: { ms: 50 },
    })
  })

  it('reaches declared origins only, and tells what is no WebSocket', async () => {
    const exchange = [{ collect: { count: 1 } }]
    const elsewhere = await run({ websocket: { url: 'ws://127.0.0.1:9/ws', exchange } })
    expect(elsewhere.error?.code).toBe('origin_not_allowed')
    const plain = site.url.replace('http', 'ws')
    expect((await run({ websocket: { url: `${plain}/other`, exchange } })).error?.code).toBe('http_error')
    expect((await run({ websocket: { url: 'ftp://x/', exchange } })).error?.code).toBe('usage')
  })

  it('does the handshake of OBS, whose password never leaves', async () => {
    const hash = (text: string) => createHash('sha256').update(text).digest('base64')
    onSocket = socket => {
      socket.send(JSON.stringify({ op: 0, d: { authentication: { salt: 'sa', challenge: 'ch' } } }))
      socket.on('message', data => {
        const { op, d } = JSON.parse(String(data)) as { op: number; d: { authentication?: string } }
        const isRight = d.authentication === hash(`${hash('pwsa')}ch`)
        socket.send(JSON.stringify(op === 1 ? { op: isRight ? 2 : 9 } : { op: 7, d: { ok: true } }))
      })
    }
    const secret = "(args.pw + vars.hello.d.authentication.salt) | sha256('base64')"
    const step = {
      websocket: {
        url: '/ws',
        effect: 'read',
        exchange: [
          { expect: 'item.op == 0', as: 'hello' },
          {
            send: {
              op: 1,
              d: {
                authentication: `\${{ ((${secret}) + vars.hello.d.authentication.challenge) | sha256('base64') }}`,
              },
            },
          },
          { expect: 'item.op == 2' },
          { send: { op: 6, d: {} } },
          { expect: 'item.op == 7' },
        ],
      },
    }
    expect(await dataOf(step, { args: { pw: 'pw' } })).toEqual({ op: 7, d: { ok: true } })
  })
})

describe('a rate limit', () => {
  it('lets the data pass on and is shared by every run that names it', async () => {
    const step = { rate_limit: { per_minute: 6, name: 'shared' } }
    const once = world.kernel(site.url, [{ set: { a: 1 } }, step], { timeoutMs: 1000 })
    expect((await once()).error).toBeNull()
    expect((await once()).error).toMatchObject({ code: 'rate_limited', details: { site: 'shared' } })
  })
})
