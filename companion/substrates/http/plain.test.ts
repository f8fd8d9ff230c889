import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failures.ts'
import type { Addresses } from './addresses.ts'
import { decodeBody } from './charset.ts'
import { MAX_BYTES, plainHttp } from './plain.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const servers: Server[] = []
async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let site = ''
let other = ''
let closed = ''
const seen: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = []
const echo: Handler = (request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    response.setHeader('content-type', 'text/plain')
    response.end('ok')
  })
}

beforeAll(async () => {
  closed = await serve(echo)
  const gone = servers.pop()
  await new Promise(resolve => gone?.close(resolve))
  other = await serve(echo)
  site = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    if (pathname === '/to') {
      response.writeHead(Number(searchParams.get('status')), { location: searchParams.get('at') ?? '' }).end()
    } else if (pathname === '/loop') response.writeHead(302, { location: '/loop' }).end()
    else if (pathname === '/huge') {
      response.writeHead(200)
      const part = Buffer.alloc(1024 * 1024)
      const send = () => {
        while (response.write(part));
        response.once('drain', send)
      }
      response.on('close', () => response.removeAllListeners('drain'))
      send()
    } else if (pathname === '/hang') response.writeHead(200).write('begun')
    else echo(request, response)
  })
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const anyAddress: Addresses = { fetch, lookup: () => undefined }
const open = (allowed: () => string[] = () => [site, other]) =>
  plainHttp(
    async url => {
      if (!allowed().some(origin => url.startsWith(origin)))
        throw new Failure('origin_not_allowed', { origin: url, allowed: allowed() })
    },
    anyAddress,
    'unicli-test',
  )
const ask = (
  url: string,
  over: { method?: string; body?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
) => ({
  request: {
    url,
    method: over.method ?? 'GET',
    headers: over.headers ?? {},
    body: over.body ?? null,
    read: true,
  },
  options: { signal: over.signal ?? new AbortController().signal, deadline: 0 },
})
async function send(...args: Parameters<typeof ask>) {
  const { request, options } = ask(...args)
  return open().request(request, options)
}
const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: Failure) => error,
  )

describe('a plain request', () => {
  it('names itself and gives status, headers and text', async () => {
    const response = await send(`${site}/x?y=1`)
    expect(response).toMatchObject({ status: 200, url: `${site}/x?y=1`, text: 'ok' })
    expect(seen.at(-1)?.headers['user-agent']).toBe('unicli-test')
  })

  it('becomes GET without a body after 303 and keeps method and body after 307', async () => {
    const form = {
      method: 'POST',
      body: 'a=1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    }
    await send(`${site}/to?status=303&at=/done`, form)
    expect(seen.at(-1)).toMatchObject({ method: 'GET', url: '/done', body: '' })
    await send(`${site}/to?status=307&at=/done`, form)
    expect(seen.at(-1)).toMatchObject({ method: 'POST', url: '/done', body: 'a=1' })
  })

  it('takes no secret along to another origin', async () => {
    const headers = { cookie: 's=1', authorization: 'Bearer x', 'x-csrf-token': 't', 'x-plain': 'p' }
    await send(`${site}/to?status=302&at=${other}/in`, { headers })
    expect(seen.at(-1)?.headers).toMatchObject({ 'x-plain': 'p' })
    expect(seen.at(-1)?.headers).not.toHaveProperty('cookie')
    expect(seen.at(-1)?.headers).not.toHaveProperty('authorization')
    await send(`${site}/to?status=302&at=/in`, { headers })
    expect(seen.at(-1)?.headers).toMatchObject({ cookie: 's=1' })
  })

  it('holds every hop against what the run may reach', async () => {
    const { request, options } = ask(`${site}/to?status=302&at=${other}/secret`)
    const before = seen.length
    expect((await failureOf(open(() => [site]).request(request, options))).code).toBe('origin_not_allowed')
    expect(seen.length).toBe(before)
  })

  it.each([
    ['a loop of redirects', () => `${site}/loop`, 'network_error', 'redirects'],
    ['an answer that never ends', () => `${site}/huge`, 'response_too_large', String(MAX_BYTES)],
    ['a port that nobody listens on', () => closed, 'network_error', 'ECONNREFUSED'],
  ])('%s is a typed failure', async (_, url, code, text) => {
    const http = plainHttp(async () => undefined, anyAddress, 'unicli-test')
    const { request, options } = ask(url())
    const failure = await failureOf(http.request(request, options))
    expect(failure.code).toBe(code)
    expect(failure.message).toContain(text)
  })

  it('ends with the reason of its abort, also in the middle of a body', async () => {
    const abort = new AbortController()
    const pending = send(`${site}/hang`, { signal: abort.signal })
    setImmediate(() => abort.abort(new Failure('cancelled', { by: 'client' })))
    expect((await failureOf(pending)).code).toBe('cancelled')
  })
})

describe('the charset of an answer', () => {
  const gbk = Uint8Array.from([0xc4, 0xe3, 0xba, 0xc3])
  const ascii = (text: string) => new TextEncoder().encode(text)
  const both = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap(part => [...part]))

  it.each([
    ['the header', gbk, 'text/html; charset=GBK', '你好'],
    ['the meta tag', both(ascii('<meta charset="gb2312">'), gbk), 'text/html', '<meta charset="gb2312">你好'],
    [
      'the XML declaration',
      both(ascii('<?xml version="1.0" encoding="gbk"?>'), gbk),
      undefined,
      '<?xml version="1.0" encoding="gbk"?>你好',
    ],
    [
      'a byte order mark, before the header',
      both(Uint8Array.from([0xef, 0xbb, 0xbf]), ascii('x')),
      'text/html; charset=GBK',
      'x',
    ],
    ['UTF-8 without any word', ascii('日本語'), undefined, '日本語'],
    ['UTF-8 for a label that nobody knows', ascii('é'), 'text/plain; charset=klingon', 'é'],
  ])('comes from %s', (_, bytes, type, text) => {
    expect(decodeBody(bytes, type)).toBe(text)
  })
})
