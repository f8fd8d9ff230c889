import { createServer, type Server } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { Failure } from '../../../shared/failures.ts'
import { addressesFor, isPublic, publicLookup } from './addresses.ts'
import { plainHttp } from './plain.ts'

const server: Server = createServer((request, response) => {
  if (request.url?.startsWith('/to?'))
    return response.writeHead(302, { location: decodeURIComponent(request.url.slice(4)) }).end()
  response
    .writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'x-seen': '東'.length.toString() })
    .end('内容')
})
const sockets = new WebSocketServer({ server })
let port = 0

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  sockets.close()
  server.closeAllConnections()
  server.close()
})

const client = (origins: { own?: string; declared?: string[] } = {}, resolver?: LookupFunction) =>
  plainHttp(
    async () => undefined,
    addressesFor({ origins: { own: origins.own ?? null, declared: new Set(origins.declared) } }, resolver),
    'unicli-test',
  )
const options = { signal: AbortSignal.timeout(10_000), deadline: 0 }
const get = (url: string, http = client()) =>
  http.request({ url, method: 'GET', headers: {}, body: null, read: true }, options)
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => Failure.from(error).code,
  )

describe('addresses that nobody named', () => {
  it.each([
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['172.16.0.1', false],
    ['192.168.1.1', false],
    ['169.254.169.254', false],
    ['100.100.100.200', false],
    ['0.0.0.0', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['::', false],
    ['fe80::1', false],
    ['fd00:ec2::254', false],
    ['::ffff:10.0.0.1', false],
    ['64:ff9b::a9fe:a9fe', false],
    ['2002:7f00:1::', false],
    ['nonsense', false],
    ['8.8.8.8', true],
    ['2606:4700::1111', true],
    ['64:ff9b::808:808', true],
    ['198.18.0.7', true],
  ])('%s is public: %s', (address, expected) => {
    expect(isPublic(address)).toBe(expected)
  })

  it.each([
    'http://127.0.0.1',
    'http://2130706433',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://[::1]',
    'http://[::ffff:127.0.0.1]',
    'http://localhost',
    'http://api.localhost.',
    'http://169.254.169.254/latest/meta-data',
    'http://metadata.google.internal',
  ])('are refused however they are written: %s', async url => {
    expect(await codeOf(get(url))).toBe('address_not_allowed')
    expect(
      await codeOf(
        client().socket({ url: url.replace('http', 'ws'), headers: {}, protocols: [], read: true }, options),
      ),
    ).toBe('address_not_allowed')
  })

  it('are refused behind a name too, by what it resolves to', async () => {
    // The name of this machine is in its own network, whatever it is.
    expect(await codeOf(get(`http://${hostname()}:${port}/`))).toBe('address_not_allowed')
    const url = `ws://${hostname()}:${port}/`
    expect(await codeOf(client().socket({ url, headers: {}, protocols: [], read: true }, options))).toBe(
      'address_not_allowed',
    )
  })

  it('are refused at the second hop of a redirect', async () => {
    const named = `http://127.0.0.1:${port}`
    const to = (target: string) =>
      get(`${named}/to?${encodeURIComponent(target)}`, client({ declared: [named] }))
    expect((await to(`${named}/`)).text).toBe('内容')
    expect(await codeOf(to(`http://${hostname()}:${port}/`))).toBe('address_not_allowed')
    expect(await codeOf(to('http://169.254.169.254/'))).toBe('address_not_allowed')
  })

  it('are refused when one of several addresses of a name is private', async () => {
    const answered = await new Promise(resolve =>
      publicLookup('localhost', { all: true }, (error, addresses) => resolve(error ?? addresses)),
    )
    expect(Failure.is(answered, 'address_not_allowed')).toBe(true)
  })
})

describe('private addresses', () => {
  it('may be reached where the person or the adapter named them, at that port alone', async () => {
    const origin = `http://127.0.0.1:${port}`
    expect((await get(origin, client({ declared: [origin] }))).text).toBe('内容')
    const byName = `http://${hostname()}:${port}`
    expect((await get(byName, client({ own: byName }))).text).toBe('内容')
    expect(await codeOf(get(byName, client({ declared: [byName] })))).toBe('address_not_allowed')
    expect(await codeOf(get(origin, client({ declared: ['http://127.0.0.1:1'] })))).toBe(
      'address_not_allowed',
    )
  })
})

describe('a public name', () => {
  it('is connected to by the address that was judged, and resolved once', async () => {
    const asked: string[] = []
    // Stands in for the resolver: what it gives is where the request goes, whatever the name would be a moment later.
    const resolver: LookupFunction = (host, wanted, done) => {
      asked.push(host)
      if (wanted.all === true) done(null, [{ address: '127.0.0.1', family: 4 }])
      else done(null, '127.0.0.1', 4)
    }
    const http = client({}, resolver)
    const { text, status, headers } = await get(`http://rebound.example:${port}/`, http)
    expect({ text, status, seen: headers['x-seen'] }).toEqual({ text: '内容', status: 200, seen: '1' })
    expect(asked).toEqual(['rebound.example'])
    const url = `ws://rebound.example:${port}/`
    const socket = await http.socket({ url, headers: {}, protocols: [], read: true }, options)
    socket.close()
    expect(asked).toEqual(['rebound.example', 'rebound.example'])
  })
})
