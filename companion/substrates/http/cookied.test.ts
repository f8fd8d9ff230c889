import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Failure } from '../../../shared/failures.ts'
import type { BrowserSession } from '../../ports/browser.ts'
import type { HttpRequest, SiteContext } from '../../ports/http.ts'
import { browserHttp, fileHttp } from './cookied.ts'
import { plainHttp } from './plain.ts'

const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(`${request.url} ${request.headers.cookie ?? 'no cookie'}`)
  if (request.url === '/elsewhere') response.writeHead(302, { location: `${other}/in` }).end()
  else response.end('streamed')
})
let url = ''
let other = ''
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  url = `http://127.0.0.1:${port}`
  other = `http://localhost:${port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const options = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY }
const plain = () => plainHttp(async () => undefined, { fetch, lookup: () => undefined }, 'unicli-test')
const cookie = (value: string) => ({
  ...{ name: 's', value, domain: '127.0.0.1', path: '/', expires: null },
  ...{ secure: false, http_only: true, same_site: 'lax' },
})

/** A browser that answers as a test says. */
function browser(answer: (method: string, params: Record<string, unknown>) => unknown) {
  const calls: { method: string; params: Record<string, unknown> }[] = []
  const session = {
    profile: { id: 'p1', name: 'P' },
    session: 's',
    call: async (method: string, params: Record<string, unknown>) => {
      calls.push({ method, params })
      return answer(method, params)
    },
    onCapture: () => () => undefined,
  } as unknown as BrowserSession
  const site = { base: url, browser: () => session } as unknown as SiteContext
  return { calls, client: browserHttp(site, plain(), async () => undefined) }
}
const request = (over: Partial<HttpRequest> = {}): HttpRequest => ({
  ...{ url: `${url}/x`, method: 'POST', headers: {}, body: null, read: false },
  ...over,
})
const failureOf = (promise: Promise<unknown>): Promise<Failure> =>
  promise.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: Failure) => error,
  )

it('sends bytes through the browser as they are, and gives bytes back', async () => {
  const answer = { status: 200, url: `${url}/x`, headers: {}, body: '/wAB', base64: true }
  const { client, calls } = browser(() => answer)
  const response = await client.request(request({ body: Uint8Array.of(0, 255) }), options)
  expect(calls[0]?.params).toMatchObject({ body: 'AP8=', body_base64: true, origin: url })
  expect([...response.bytes]).toEqual([255, 0, 1])
})

it('does not know what became of a write that the browser says failed', async () => {
  const { client } = browser(() => {
    throw new Failure('network_error', { url, reason: 'Failed to fetch' })
  })
  expect((await failureOf(client.request(request(), options))).code).toBe('outcome_unknown')
  expect((await failureOf(client.request(request({ read: true }), options))).code).toBe('network_error')
})

it('streams with the cookies of the browser, which follow to no other site', async () => {
  const { client } = browser(() => [cookie('live')])
  const read = { method: 'GET', read: true }
  const stream = await client.stream(request(read), options)
  const chunks: Uint8Array[] = []
  for await (const chunk of stream.body) chunks.push(chunk)
  expect(Buffer.concat(chunks).toString()).toBe('streamed')
  const moved = await client.stream(request({ ...read, url: `${url}/elsewhere` }), options)
  for await (const chunk of moved.body) chunks.push(chunk)
  expect(seen).toEqual(['/x s=live', '/elsewhere s=live', '/in no cookie'])
})

it('tells one login from another without telling its cookies', async () => {
  const identity = (value: string) => browser(() => [cookie(value)]).client.identity(url, options)
  expect(await identity('planted-a')).toBe(await identity('planted-a'))
  expect(await identity('planted-a')).not.toBe(await identity('planted-b'))
  expect(await identity('planted-a')).not.toContain('planted')
  const file = await fileHttp(plain(), [cookie('planted-a') as never]).identity(url, options)
  expect(file).not.toContain('planted')
})
