import { describe, expect, it } from 'vitest'
import { Failure } from '../../../shared/failures.ts'
import type { BrowserSession } from '../../ports/browser.ts'
import type { CsrfHint, HttpRequest, SiteContext } from '../../ports/http.ts'
import { storageBearer } from './bearer.ts'
import type { HttpClient } from './client.ts'
import { BearerCache, tokenHttp } from './csrf.ts'

interface Site {
  cookies?: [name: string, value: string][]
  page?: string
  endpoint?: unknown
  local?: Record<string, string>
  status?: number
}

/** A site that a test describes, behind a browser session that is nothing but that description. */
function setUp(site: Site, csrf: CsrfHint = {}, bearers = new BearerCache()) {
  const sent: HttpRequest[] = []
  const pages: string[] = []
  const http: HttpClient = {
    identity: async () => 'public',
    socket: () => Promise.reject(new Error('no socket is opened here')),
    stream: () => Promise.reject(new Error('nothing is streamed here')),
    async request(request) {
      sent.push(request)
      const answer = request.url.includes('/token')
        ? JSON.stringify(site.endpoint)
        : (site.page ?? '<html></html>')
      const status = request.url.endsWith('/act') ? (site.status ?? 200) : 200
      return { status, url: request.url, headers: {}, text: answer, bytes: new Uint8Array() }
    },
  }
  const call = async (method: string, params: { url?: string }) => {
    if (method === 'cookies.get') return (site.cookies ?? []).map(([name, value]) => ({ name, value }))
    if (method === 'page.storage') return { local: site.local ?? {}, session: {} }
    pages.push(params.url ?? '')
    return {}
  }
  const session = {
    profile: { id: 'p', name: 'P' },
    session: 's',
    call,
    onCapture: () => () => undefined,
  } as unknown as BrowserSession
  const context: SiteContext = {
    site: 'demo',
    base: 'https://demo.example/app',
    csrf,
    browser: () => session,
    browserLinked: () => true,
    checkOrigin: () => undefined,
    origins: { own: null, declared: new Set() },
    access: async () => undefined,
  }
  const client = tokenHttp(http, context, bearers)
  const act = (over: Partial<HttpRequest> = {}) =>
    client.request(
      { url: 'https://demo.example/app/act', method: 'POST', headers: {}, body: 'a=1', read: false, ...over },
      { signal: new AbortController().signal, deadline: 0 },
    )
  return { act, sent, pages, bearers }
}

describe('the token of a write', () => {
  it.each<[string, Site, CsrfHint, Record<string, string>]>([
    [
      'a cookie of Django',
      {
        cookies: [
          ['sessionid', 'x'],
          ['csrftoken', 'T1'],
        ],
      },
      {},
      { 'x-csrf-token': 'T1' },
    ],
    ['a cookie of Angular, decoded', { cookies: [['XSRF-TOKEN', 'a%3Db']] }, {}, { 'x-xsrf-token': 'a=b' }],
    ['a meta tag', { page: '<meta content="T2" name="csrf-token">' }, {}, { 'x-csrf-token': 'T2' }],
    [
      'a meta tag whose header another one names',
      { page: '<meta name="_csrf" content="T3"><meta name="_csrf_header" content="X-XS">' },
      {},
      { 'x-xs': 'T3' },
    ],
    [
      'the storage of the page',
      { local: { 'auth-tokens': '{"access_token":"abcdefghij0123456789","expires_in":1}' } },
      {},
      { authorization: 'Bearer abcdefghij0123456789' },
    ],
    [
      'a cookie and header that the adapter names',
      { cookies: [['odd', 'T4']] },
      { cookie: 'odd', header: 'X-Odd' },
      { 'x-odd': 'T4' },
    ],
  ])('comes from %s', async (_, site, hint, headers) => {
    const { act, sent } = setUp(site, hint)
    await act()
    expect(sent.at(-1)?.headers).toEqual(headers)
    expect(sent.filter(request => request.method === 'POST')).toHaveLength(1)
  })

  it('goes into the form where an endpoint gave it for a field', async () => {
    const { act, sent } = setUp(
      { endpoint: { query: { tokens: { csrftoken: 'abc+\\' } } } },
      { endpoint: '/api/token', select: 'query.tokens.csrftoken', field: 'token' },
    )
    await act()
    expect(sent[0]?.url).toBe('https://demo.example/app/api/token')
    expect(sent.at(-1)?.body).toBe('a=1&token=abc%2B%5C')
  })

  it('goes into the form where the page has a hidden field, and into JSON and address likewise', async () => {
    const page = '<input type=hidden name=authenticity_token value=T5>'
    const { act, sent } = setUp({ page })
    await act()
    expect(sent.at(-1)?.body).toBe('a=1&authenticity_token=T5')
    await act({ headers: { 'content-type': 'application/json' }, body: '{"a":1}' })
    expect(sent.at(-1)?.body).toBe('{"a":1,"authenticity_token":"T5"}')
    await act({ body: null })
    expect(sent.at(-1)?.url).toBe('https://demo.example/app/act?authenticity_token=T5')
  })

  it('that is nowhere is a failure that names the places, and nothing is written', async () => {
    const { act, sent } = setUp({})
    const failure = await act().catch((error: unknown) => error)
    expect(Failure.is(failure, 'csrf_not_found') && failure.message).toContain('cookies, page, storage')
    expect(sent.every(request => request.method === 'GET')).toBe(true)
  })

  it('from storage is read once; a refused write is not sent again, but the next one looks anew', async () => {
    const site: Site = { local: { token: 'abcdefghij0123456789' } }
    const { act, pages, sent } = setUp(site)
    await act()
    await act()
    expect(pages).toHaveLength(1)
    site.status = 401
    const before = sent.length
    expect((await act()).status).toBe(401)
    expect(sent.length - before).toBe(1)
    site.status = 200
    await act()
    expect(pages).toHaveLength(2)
  })
})

describe('the bearer in a storage', () => {
  it.each<[string, Record<string, string>, CsrfHint, string | null]>([
    ['of Node-RED', { 'auth-tokens': '{"access_token":"a1b2c3d4e5f6g7h8i9"}' }, {}, 'a1b2c3d4e5f6g7h8i9'],
    [
      'that is a JWT before other text',
      { authId: '0123456789abcdef', jwt: 'aaa.bbb.ccc-0123456789' },
      {},
      'aaa.bbb.ccc-0123456789',
    ],
    [
      'nested',
      { 'persist:auth': '{"user":{"token":"Bearer abcdefghij0123456789"}}' },
      {},
      'abcdefghij0123456789',
    ],
    [
      'where the adapter says',
      { x: '{"deep":{"k":"short"}}' },
      { storage: 'x', storage_select: 'deep.k' },
      'short',
    ],
    ['not there', { theme: 'dark-and-very-long-name', token: 'no' }, {}, null],
  ])('%s', (_, local, hint, want) => {
    expect(storageBearer({ local, session: {} }, hint)).toBe(want)
  })
})
