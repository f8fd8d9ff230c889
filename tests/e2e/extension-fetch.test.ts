import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebResponse } from '../../shared/values.ts'
import type { WireParams } from '../../shared/wire.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'
import { type PageServer, type SeenRequest, startPageServer } from '../support/page-server.ts'

let rig: ExtensionRig
let site: PageServer
let elsewhere: PageServer

const GBK = Buffer.from([0xd6, 0xd0, 0xce, 0xc4])

beforeAll(async () => {
  elsewhere = await startPageServer({ '/landing': 'landed' })
  site = await startPageServer({
    '/login': (_, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html',
          'set-cookie': [
            'sid=secret; HttpOnly; SameSite=Strict; Path=/',
            'lax=1; SameSite=Lax; Path=/; Max-Age=3600',
          ],
        })
        .end('<title>In</title>'),
    '/echo': (request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'x-answer': 'yes' })
        .end(JSON.stringify(request)),
    '/gbk': (_, response) => response.writeHead(200, { 'content-type': 'text/plain; charset=GBK' }).end(GBK),
    '/gbk-meta': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(Buffer.concat([Buffer.from('<html><meta charset="gb2312"><p>'), GBK])),
    '/bytes': (_, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([137, 80, 0, 255])),
    '/big': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(3_000_000)),
    '/away': (_, response) => response.writeHead(302, { location: `${elsewhere.url}/landing` }).end(),
    '/gone': (_, response) => response.writeHead(404, { 'content-type': 'text/plain' }).end('none'),
    '/broken': (_, response) => response.destroy(),
  })
  rig = await startExtension()
  await rig.link.call('page.navigate', { session: 's', url: `${site.url}/login`, until: 'load' })
})
afterAll(async () => {
  await rig.close()
  await site.close()
  await elsewhere.close()
})

type Request = Partial<WireParams<'http.fetch'>> & { path: string }

const params = ({ path, ...rest }: Request): WireParams<'http.fetch'> => ({
  session: 's',
  url: `${site.url}${path}`,
  method: 'GET',
  headers: {},
  body: null,
  via: 'worker',
  origin: site.url,
  max_bytes: 5_000_000,
  ...rest,
})
const get = (request: Request): Promise<WebResponse> => rig.link.call('http.fetch', params(request))
const ask = (request: Request) => rig.link.ask('http.fetch', params(request))
const echoed = async (request: Request): Promise<SeenRequest> => JSON.parse((await get(request)).body)

describe.each(['worker', 'page'] as const)('http.fetch by the %s', via => {
  test('sends the person’s cookies and looks like the site’s own request', async () => {
    const seen = await echoed({ path: '/echo?q=1', via, headers: { 'X-Own': 'a' } })
    expect(seen.headers).toMatchObject({
      cookie: 'sid=secret; lax=1',
      'x-own': 'a',
      'sec-fetch-site': 'same-origin',
    })
    expect(seen.headers.referer?.startsWith(site.url)).toBe(true)
    expect(seen.headers.origin).toBeUndefined()
    const posted = await echoed({ path: '/echo', via, method: 'POST', body: 'a=1' })
    expect(posted).toMatchObject({
      method: 'POST',
      body: 'a=1',
      headers: { origin: site.url, 'sec-fetch-site': 'same-origin', cookie: 'sid=secret; lax=1' },
    })
  })

  test('decodes text by the charset that the answer declares, and gives bytes as base64', async () => {
    expect(await get({ path: '/gbk', via })).toMatchObject({ body: '中文', base64: false, via })
    expect((await get({ path: '/gbk-meta', via })).body).toContain('<p>中文')
    expect(await get({ path: '/bytes', via })).toMatchObject({ body: 'iVAA/w==', base64: true })
  })

  test('gives any status as an answer, and a broken connection as network_error', async () => {
    expect(await get({ path: '/gone', via })).toMatchObject({ status: 404, body: 'none' })
    expect((await get({ path: '/echo', via })).headers['x-answer']).toBe('yes')
    expect(await ask({ path: '/broken', via })).toMatchObject({ failure: { code: 'network_error' } })
  })

  test('refuses answers over the limit and headers that only the browser sets', async () => {
    expect(await ask({ path: '/big', via, max_bytes: 1_000_000 })).toMatchObject({
      failure: { code: 'response_too_large', params: { limit: 1_000_000 } },
    })
    expect((await get({ path: '/big', via })).body).toHaveLength(3_000_000)
    expect(await ask({ path: '/echo', via, headers: { Cookie: 'sid=other' } })).toMatchObject({
      failure: { code: 'bad_request' },
    })
  })
})

describe('http.fetch', () => {
  test('follows redirects, and tells where they led', async () => {
    expect(await get({ path: '/away' })).toMatchObject({
      url: `${elsewhere.url}/landing`,
      status: 200,
      body: 'landed',
    })
  })

  test('brings a tab to the origin in the background when there is none', async () => {
    const seen = await echoed({ path: '/echo', via: 'page', session: 'fresh' })
    expect(seen.headers.cookie).toBe('sid=secret; lax=1')
    expect(await rig.link.call('session.tabs', { session: 'fresh' })).toMatchObject([{ url: `${site.url}/` }])
  })

  test('leaves no rule behind', async () => {
    const worker = await rig.browser.serviceWorker()
    expect(await worker.evaluate(() => chrome.declarativeNetRequest.getSessionRules())).toEqual([])
  })

  test('changes no request of anybody else while it runs', async () => {
    const page = await rig.browser.context.newPage()
    await page.goto(`${elsewhere.url}/`)
    const arrived = site.nextRequest('/echo?worker')
    const other = site.nextRequest('/echo?page')
    await Promise.all([
      get({ path: '/echo?worker', method: 'POST', body: 'x' }),
      page.evaluate(
        url => fetch(url, { method: 'POST', mode: 'no-cors', body: 'x' }),
        `${site.url}/echo?page`,
      ),
    ])
    expect((await arrived).headers.origin).toBe(site.url)
    expect((await other).headers.origin).toBe(elsewhere.url)
    await page.close()
  })
})

describe('cookies.get', () => {
  test('lists what the browser would send, HttpOnly and Strict as well', async () => {
    const cookies = await rig.link.call('cookies.get', { url: `${site.url}/` })
    expect(cookies).toEqual([
      expect.objectContaining({
        name: 'sid',
        value: 'secret',
        http_only: true,
        same_site: 'strict',
        expires: null,
      }),
      expect.objectContaining({ name: 'lax', value: '1', http_only: false, same_site: 'lax' }),
    ])
    expect(cookies[1]?.expires).toBeGreaterThan(Date.now() / 1000)
  })
})
