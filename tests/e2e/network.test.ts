import { readFile } from 'node:fs/promises'
import { har } from 'har-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { killServiceWorker } from '../support/cdp.ts'
import { type OwnBrowser, startOwnBrowser } from '../support/own-browser.ts'
import { isLinkedSince, type Product, startProduct } from '../support/product.ts'
import { BIG_BYTES, BURST, startTrafficSite, type TrafficSite } from '../support/traffic-site.ts'

let product: Product
let site: TrafficSite
let browser: OwnBrowser

beforeAll(async () => {
  ;[product, site] = await Promise.all([startProduct(), startTrafficSite()])
  browser = await startOwnBrowser(product, 'own')
})
afterAll(async () => {
  await browser?.close()
  await product?.close()
  await site?.close()
})

async function does<T = Record<string, unknown>>(
  session: string,
  operation: string,
  args: Record<string, unknown> = {},
  options: Record<string, unknown> = {},
): Promise<T> {
  const { data, error } = await product.run(operation, args, { session, timeout_ms: 40_000, ...options })
  expect(error).toBeNull()
  return data as T
}

interface Row {
  id: string
  method: string
  url: string
  status: number | null
  kind: string
}
const rowsOf = async (session: string, args: Record<string, unknown> = {}): Promise<Row[]> =>
  (
    await does<{ requests: Row[] }>(session, 'network.list', {
      rows: true,
      limit: 5000,
      assets: true,
      ...args,
    })
  ).requests

const runsIn = <T = unknown>(session: string, expression: string): Promise<T> =>
  does<T>(session, 'browser.evaluate', { expression })

const loaded = (session: string, title = 'done') =>
  runsIn(
    session,
    `new Promise(done => { const look = () => document.title === '${title}' ? done() : setTimeout(look, 20); look() })`,
  )

const PATHS = [
  ...['/start', '/app', '/frame', '/api/early', '/api/xhr', '/api/beacon', '/hop/1', '/hop/2', '/hop/3'],
  ...[
    '/worker.js',
    '/api/from-worker',
    '/api/from-frame',
    '/events',
    '/stream',
    '/big',
    '/style.css',
    '/echo',
  ],
  ...['/sw.js', '/api/from-sw'],
].sort()
const pathOf = ({ url }: Row) => new URL(url).pathname
const pathsOf = (rows: Row[]) => [...new Set(rows.map(pathOf))].filter(path => path !== '/favicon.ico').sort()

type Detail = Record<string, unknown> & {
  request_headers: Record<string, string>
  response_body_blob: { blob: string; bytes: number }
  messages: { direction: string; text: string; event?: string }[]
}

describe('a session whose bodies are kept', () => {
  const get = (id: string, args: Record<string, unknown> = {}) =>
    does<Detail>('full', 'network.get', { id, ...args })
  const waits = async (url: string, args: Record<string, unknown> = {}): Promise<Detail> => {
    const { id } = await does<{ id: string }>('full', 'network.wait', { url, since: 0, ...args })
    return await get(id, { max_chars: 20 })
  }

  test('has those of page, frame, worker, stream and socket, and no secret', async () => {
    expect(await does('full', 'network.start')).toEqual({ source: 'debugger' })
    await does('full', 'browser.navigate', { url: `${site.url}/start` })
    await loaded('full')
    const early = await waits('/api/early')
    expect(early).toMatchObject({
      method: 'POST',
      kind: 'fetch',
      status: 200,
      request_headers: { authorization: '[redacted]' },
      response_body: '{"word":"早","token":…',
    })
    expect(await get(String(early.id))).toMatchObject({
      response_headers: { 'set-cookie': 'sid=[redacted]' },
      request_body: '{"q":"竹","password":"[redacted]"}',
      response_body: '{"word":"早","token":"[redacted]"}',
    })
    expect(await waits('/api/xhr')).toMatchObject({ kind: 'xhr', request_body: 'a=1', response_body: '[1]' })
    expect(await waits('/api/from-frame')).toMatchObject({ response_body: '"f"' })
    expect(await waits('/api/from-worker')).toMatchObject({ response_body: '"w"' })
    expect(await waits('/api/from-sw')).toMatchObject({ response_body: '"s"' })
    expect(await waits('/stream')).toMatchObject({ response_body: '{"n":1}\n{"n":2}\n{"n"…' })
    expect((await waits('/big')).response_body_blob.bytes).toBeGreaterThan(BIG_BYTES - 100)
    const rows = await rowsOf('full')
    const idOf = (path: string) => rows.find(row => pathOf(row) === path)?.id ?? ''
    expect((await get(idOf('/echo'))).messages).toMatchObject([
      { direction: 'sent', text: 'hello 世界' },
      { direction: 'received', text: 'echo hello 世界' },
    ])
    expect((await get(idOf('/events'))).messages).toMatchObject([
      { event: 'message', text: 'plain' },
      { event: 'tick', text: 'named' },
    ])
    expect(pathsOf(rows)).toEqual(PATHS)
    expect(rows.filter(row => pathOf(row) === '/api/from-sw')).toHaveLength(1)
    expect(rows.filter(({ kind }) => kind === 'document').map(pathOf)).toEqual(['/start', '/app'])
  })

  test('misses none of a thousand in a burst, and writes an archive that is valid', async () => {
    await runsIn('full', 'void burst()')
    await loaded('full', 'burst')
    await does('full', 'network.wait', { url: `n=${BURST - 1}`, since: 0 })
    const burst = await rowsOf('full', { url: '/api/burst' })
    expect(new Set(burst.map(({ url }) => url)).size).toBe(BURST)
    expect(burst.filter(({ status }) => status === 200).length).toBe(BURST)
    const written = await does<{ path: string }>('full', 'network.export', { path: 'capture.har' })
    const text = await readFile(written.path, 'utf8')
    const archive = JSON.parse(text) as { log: { entries: { response: { content: { text?: string } } }[] } }
    await har(archive)
    expect(text).not.toMatch(/hunter2|abcdef123456|tok-9876543210|s3cr3t/)
    const bodies = archive.log.entries.filter(({ response }) => response.content.text === '{"ok":true}')
    expect(bodies.length).toBe(BURST)
    const [first] = await rowsOf('full', { url: '/api/early' })
    const curl = await does<{ code: string }>('full', 'network.export', { format: 'curl', id: first?.id })
    expect(curl.code).toContain(`--data-raw '{"q":"竹","password":"[redacted]"}'`)
  })

  test('misses nothing that workers of workers ask and what a page sends while it is left', async () => {
    const works = (kind: string, script: string) =>
      runsIn(
        'full',
        `new Promise(done => { const w = new ${kind}('${script}'); (w.port ?? w).onmessage = () => done(1) })`,
      )
    await works('Worker', '/nesting.js')
    await works('SharedWorker', '/shared.js')
    expect(await waits('/shared.js')).toMatchObject({ kind: 'script', status: 200 })
    await runsIn(
      'full',
      `fetch('${site.otherUrl}/api/xhr', { method: 'PUT', headers: { 'x-odd': '1' } }).catch(String)`,
    )
    const bytes = 'new Uint8Array([0, 255, 39, 10])'
    for (const [name, body] of Object.entries({ plain: bytes, blob: `new Blob([${bytes}])` })) {
      await runsIn('full', `fetch('/api/xhr?${name}', { method: 'POST', body: ${body} }).then(r => r.text())`)
      const { id } = await waits(`/api/xhr?${name}`)
      const { code } = await does<{ code: string }>('full', 'network.export', { format: 'curl', id })
      expect(code).toContain("printf %s 'AP8nCg==' | base64 -d | curl")
    }
    await runsIn(
      'full',
      `new Promise(done => { new WebSocket('ws://127.0.0.1:9/dead').onerror = () => done(1) })`,
    )
    const dead = await waits('/dead')
    const timing = dead.timing as { started_at: string; total_ms: number }
    expect(dead.error).toBe('failed')
    expect(Date.parse(timing.started_at) + timing.total_ms).toBeLessThanOrEqual(Date.now())
    await runsIn(
      'full',
      `addEventListener('pagehide', () => { navigator.sendBeacon('/api/beacon?left', 'a'); fetch('/api/beacon?kept', { method: 'POST', body: 'b', keepalive: true }) })`,
    )
    await does('full', 'browser.navigate', { url: `${site.url}/frame` })
    expect(await waits('/api/beacon?left')).toMatchObject({ method: 'POST', kind: 'beacon', status: 204 })
    expect(await waits('/api/beacon?kept')).toMatchObject({ method: 'POST', status: 204 })
    const rows = await rowsOf('full')
    const timesOf = (path: string) => rows.filter(row => pathOf(row) === path).length
    expect(['/nested.js', '/shared.js', '/frame'].map(timesOf)).toEqual([1, 1, 2])
    expect(rows.filter(({ kind }) => kind === 'preflight').map(pathOf)).toEqual(['/api/xhr'])
  })

  test('counts what was answered without a body as answered, though the page reads nothing of it', async () => {
    await runsIn('full', "fetch('/api/beacon?unread').then(() => fetch('/hop/3?unread', { method: 'HEAD' }))")
    expect(await waits('/api/beacon?unread')).toMatchObject({ status: 204 })
    expect(await waits('/hop/3?unread')).toMatchObject({ method: 'HEAD', status: 200 })
    expect(await rowsOf('full', { url: '?unread', failed: true })).toEqual([])
  })

  test('has text that names no charset as the page reads it', async () => {
    await runsIn('full', "fetch('/plain').then(r => r.text())")
    expect(await waits('/plain')).toMatchObject({ mime: 'text/plain', response_body: '竹 — “é”' })
  })

  test('goes on with the same requests after the worker of the extension has died', async () => {
    const before = (await rowsOf('full')).length
    const killedAt = Date.now()
    await killServiceWorker(browser.cdp, EXTENSION_ID)
    await product.status(({ profiles }) => profiles.some(isLinkedSince(killedAt)))
    await runsIn('full', "fetch('/api/xhr?after').then(r => r.text())")
    expect(await waits('/api/xhr?after')).toMatchObject({ response_body: '[1]', seen_by: 'debugger' })
    expect((await rowsOf('full')).length).toBeGreaterThan(before)
    expect(await does('full', 'network.stop')).toEqual({ was: 'debugger' })
    await does('full', 'browser.session_end')
  })
})

describe('a session that never asked for it', () => {
  test('has every request from the first on, each redirect too, of its own tabs alone', async () => {
    await does('quiet', 'browser.navigate', { url: `${site.url}/start` })
    await loaded('quiet')
    const rows = await rowsOf('quiet')
    // The worker that serves pages is there from the session before; the browser looks for a newer one when it likes.
    const isOfPage = (path: string) => path !== '/sw.js'
    expect(pathsOf(rows).filter(isOfPage)).toEqual(PATHS.filter(isOfPage))
    const { requests } = await does<{ requests: string[] }>('quiet', 'network.list', {
      url: '/hop/*',
      kind: 'xhr',
    })
    expect(requests).toEqual([])
    const hops = await does<{ requests: string[] }>('quiet', 'network.list', { url: '*/hop/*' })
    expect(hops.requests).toEqual([
      expect.stringMatching(/^r\d+ GET 302 xhr \d+ms http\S*\/hop\/1 → r\d+$/),
      expect.stringMatching(/^r\d+ GET 302 xhr \d+ms http\S*\/hop\/2 → r\d+$/),
      expect.stringMatching(/^r\d+ GET 200 xhr \d+ms http\S*\/hop\/3$/),
    ])
    expect(await rowsOf('somebody-else')).toEqual([])
  })

  test('has what its page wrote before anybody listened, and the errors that nobody caught', async () => {
    const { lines, cursor } = await does<{ lines: string[]; cursor: number }>('quiet', 'console.list')
    expect(lines).toEqual([
      expect.stringMatching(/^c\d+ info app:3 first line (Object|\{a: 1\})$/),
      expect.stringMatching(/^c\d+ warning app:\d+ careful$/),
      expect.stringMatching(/^c\d+ error app:\d+ TypeError: broken$/),
      expect.stringMatching(/^c\d+ rejection app:\d+ Error: nobody caught this$/),
    ])
    await runsIn('quiet', "console.error('later')")
    const later = await does<{ lines: string[] }>('quiet', 'console.list', { since: cursor })
    expect(later.lines).toEqual([expect.stringMatching(/ error .*later$/)])
  })
})

describe('a session that is captured by the hook in its pages', () => {
  test('lets a page write what cannot be looked into', async () => {
    await does('odd', 'network.start', { source: 'page' })
    await does('odd', 'browser.navigate', { url: `${site.url}/` })
    const odd = `new Proxy({}, { ${['get', 'ownKeys', 'getPrototypeOf'].map(trap => `${trap}() { throw 1 }`)} })`
    const write = `(console.log('%s of it', 'all', ${odd}), void Promise.reject(${odd}), 'written')`
    expect(await runsIn('odd', write)).toBe('written')
    await runsIn(
      'odd',
      "fetch('/api/xhr?odd', { headers: new Map([['x-odd', '1']]).entries() }).then(r => r.text())",
    )
    expect(site.requests.find(({ path }) => path.endsWith('?odd'))?.headers).toMatchObject({ 'x-odd': '1' })
    const { lines } = await does<{ lines: string[] }>('odd', 'console.list')
    expect(lines).toEqual([
      expect.stringMatching(/all of it \[object\]$/),
      expect.stringMatching(/rejection.* \[object\]$/),
    ])
    await does('odd', 'browser.session_end')
  })

  test('joins what page and browser tell of the same requests', async () => {
    const { source } = await does('paged', 'network.start', { source: 'page' })
    expect(source).toBe('page')
    await does('paged', 'browser.navigate', { url: `${site.url}/start` })
    await loaded('paged')
    const { id } = await does<{ id: string }>('paged', 'network.wait', { url: '/api/early', kind: 'fetch' })
    const early = await does<Detail>('paged', 'network.get', { id })
    expect(early).toMatchObject({
      kind: 'fetch',
      seen_by: 'browser',
      request_body: '{"q":"竹","password":"[redacted]"}',
      response_body: '{"word":"早","token":"[redacted]"}',
    })
    const rows = await rowsOf('paged')
    expect(rows.filter(row => pathOf(row) === '/api/early')).toHaveLength(1)
    const socket = rows.find(row => pathOf(row) === '/echo')
    const { messages } = await does<Detail>('paged', 'network.get', { id: socket?.id })
    expect(messages.map(({ text }) => text)).toEqual(['hello 世界', 'echo hello 世界'])
  })
})

describe('routes of a session', () => {
  const asks = (path: string) =>
    runsIn<string>(
      'routed',
      `fetch('${path}').then(async r => r.status + ' ' + (await r.text()), e => String(e))`,
    )

  test('block, mock, change headers and take the network away, in its tab until they are taken off', async () => {
    await does('routed', 'browser.navigate', { url: `${site.url}/` })
    const blocked = await does('routed', 'network.route', { match: '/api/xhr', block: true })
    expect(blocked).toMatchObject({ id: '1', by: 'rules', do: 'block' })
    expect(await asks('/api/xhr')).toContain('Failed to fetch')
    const body = { items: ['竹'] }
    await does('routed', 'network.route', { match: '*/api/mocked*', mock: { status: 201, body } })
    expect(await asks('/api/mocked?x=1')).toBe('201 {"items":["竹"]}')
    await does('routed', 'network.route', { match: '/hop/3', request_headers: { 'x-by-route': '1' } })
    const arrived = site.nextRequest('/hop/3')
    await asks('/hop/3')
    expect((await arrived).headers).toMatchObject({ 'x-by-route': '1' })
    await does('routed', 'network.route', { throttle: { offline: true } })
    expect(await asks('/hop/3')).toContain('Failed to fetch')
    expect(await does<object[]>('routed', 'network.routes')).toHaveLength(4)
    expect(await does('routed', 'network.unroute')).toEqual({ removed: 4, left: 0 })
    expect(await asks('/api/xhr')).toBe('200 [1]')
    expect(await asks('/api/mocked')).toBe('404 not here')
  })

  test('fit by an address as a person writes it, and by the kind that they name alone', async () => {
    const says = (session: string) => runsIn(session, 'document.title')
    await does('routed', 'network.route', { match: '/竹', mock: { body: '是' } })
    expect(await asks('/竹?x')).toBe('200 是')
    await does('routed', 'network.route', { match: '/API/xhr', block: true })
    expect(await asks('/api/xhr')).toBe('200 [1]')
    const mock = { headers: { 'Content-Type': 'text/html' }, body: '<title>竹</title>' }
    await does('routed', 'network.route', { match: '/hop', kind: 'frame', mock: { body: 'of a frame' } })
    await does('routed', 'network.route', { match: '/hop', kind: 'document', mock })
    await does('routed', 'browser.navigate', { url: `${site.url}/hop/9` })
    expect(await says('routed')).toBe('竹')
    await does('routed', 'network.unroute')
  })

  test('match what is written, and answer with any status', async () => {
    await does('routed', 'browser.navigate', { url: `${site.url}/` })
    await does('routed', 'network.route', { match: '/x?q=a^', block: true })
    expect(await asks('/x?q=a/')).toBe('404 not here')
    expect(await asks('/x?q=a^')).toContain('Failed to fetch')
    await does('routed', 'network.route', { match: '/api/xhr', mock: { status: 520, body: 'odd' } })
    expect(await asks('/api/xhr')).toBe('520 odd')
    await does('routed', 'network.unroute')
  })

  test('answer for another origin, also what asks before', async () => {
    await does('routed', 'browser.navigate', { url: `${site.url}/` })
    await does('routed', 'network.route', { match: '/api/elsewhere', mock: { status: 418, body: 'tea' } })
    const init = `{ method: 'PUT', headers: { 'x-odd': '1' }, credentials: 'include' }`
    const put = `fetch('${site.otherUrl}/api/elsewhere', ${init}).then(async r => r.status + await r.text(), String)`
    expect(await runsIn('routed', put)).toBe('418tea')
    await does('routed', 'network.unroute')
  })

  test.each([
    [{ mock: { headers: { 'bad name': '1' } } }, 'no name of a header'],
    [{ mock: { headers: { 'x-a': '1\r\nx-b: 2' } } }, 'line break'],
    [{ request_headers: { 'x:y': '1' } }, 'no name of a header'],
    [{ mock: { body: '!!', base64: true } }, 'no base64'],
  ])('are refused where no browser could keep them: %j', async (args, told) => {
    const { error } = await product.run('network.route', args, { session: 'routed' })
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(told) })
  })
})
