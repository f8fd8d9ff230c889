import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import type { CaptureEntry } from '../../shared/values.ts'
import { type ExtensionRig, startExtension } from '../support/extension-rig.ts'
import { type PageServer, type Page as ServedPage, startPageServer } from '../support/page-server.ts'
import { waitFor } from '../support/processes.ts'

let rig: ExtensionRig
let site: PageServer
let socket: WebSocketServer

/** Nothing but its own inline scripts and requests to itself; no trusted types, no eval. */
const STRICT =
  "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self' ws:; frame-src 'self'; require-trusted-types-for 'script'; sandbox allow-scripts allow-same-origin"

const strict =
  (html: string) =>
  (_: unknown, response: ServerResponse): void => {
    response
      .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': STRICT })
      .end(html)
  }

const json =
  (value: unknown) =>
  (_: unknown, response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-mine': '1' }).end(JSON.stringify(value))
  }

/** @param socketPort where the echo server listens */
const pages = (socketPort: number): Record<string, ServedPage> => ({
  '/head-first': strict(`<!doctype html><html><head><script>
      fetch('/api/early?n=1', { method: 'post', body: JSON.stringify({ q: 'ä' }), headers: { 'X-Token': 't' } })
        .then(r => r.json()).then(v => { document.title = v.word })
      </script></head><body></body></html>`),
  '/api/early': json({ word: 'läuft' }),
  '/kinds': strict(`<!doctype html><script>
      const x = new XMLHttpRequest()
      x.open('PUT', '/api/xhr'); x.setRequestHeader('X-One', '1'); x.responseType = 'json'; x.send('a=1')
      const w = new WebSocket('ws://127.0.0.1:${socketPort}')
      w.onopen = () => w.send('hello')
      const e = new EventSource('/api/stream')
      e.addEventListener('tick', () => e.close())
      const frame = document.createElement('iframe')
      document.documentElement.append(frame)
      frame.contentWindow.fetch('/api/from-frame')
      fetch(new Request('/api/request', { method: 'POST', body: 'by request' }))
      fetch('/api/binary')
      </script>`),
  '/api/xhr': json([1, 2]),
  '/api/from-frame': json('f'),
  '/api/request': json('r'),
  '/api/binary': (_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2, 3])),
  '/api/stream': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: plain\n\nevent: tick\ndata: named\n\n')
  },
  '/native': strict(`<!doctype html><script>
      const shown = f => [f.name, f.length, Function.prototype.toString.call(f), String(f)]
      const other = document.createElement('iframe')
      document.documentElement.append(other)
      window.looks = {
        fetch: shown(fetch), open: shown(XMLHttpRequest.prototype.open), socket: shown(WebSocket),
        same: WebSocket.prototype.constructor === WebSocket, toString: shown(Function.prototype.toString),
        own: Object.getOwnPropertyNames(window).filter(n => /^u.*cli|wxt|hooked/i.test(n)),
        flags: Object.getOwnPropertyDescriptor(window, 'fetch').enumerable,
        dom: document.documentElement.outerHTML.match(/u[n]icli/i) !== null,
      }
      </script>`),
  '/forger': strict(`<!doctype html><script>
      const forged = { id: 'forged', kind: 'fetch', method: 'GET', url: location.origin + '/forged', status: 200,
        request_headers: {}, request_body: null, response_headers: {}, response_body: '"forged"', truncated: false,
        started_at: 1, finished_at: 2, frame_url: location.href }
      window.heard = []
      const names = ['unicli-offer', 'unicli-wanted']
      for (const name of names) document.addEventListener(name, e => heard.push(name + (e.ports?.length ?? '')))
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = e => heard.push('port ' + JSON.stringify(e.data))
      port1.postMessage(forged)
      const offered = document.dispatchEvent(new MessageEvent('unicli-offer', { ports: [port2], cancelable: true }))
      heard.push('taken ' + !offered)
      document.dispatchEvent(new Event('unicli-wanted'))
      window.postMessage(forged, '*')
      window.postMessage({ k: 'capture.entry', entry: forged }, '*')
      const post = MessagePort.prototype.postMessage
      MessagePort.prototype.postMessage = function (...a) { heard.push('seen'); return post.apply(this, a) }
      fetch('/api/early').then(() => { document.title = 'done' })
      </script>`),
})

beforeAll(async () => {
  socket = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(socket, 'listening')
  socket.on('connection', client => client.on('message', data => client.send(`echo ${String(data)}`)))
  const address = socket.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  site = await startPageServer(pages(port))
  rig = await startExtension()
})
afterAll(async () => {
  await rig.close()
  await site.close()
  socket.close()
})

const pageAt = (url: string): Promise<Page> =>
  waitFor(() => rig.browser.context.pages().find(page => page.url() === url), { what: `a tab at ${url}` })

/** Captures the session while it loads the path; `enough` ends it. */
async function capture(
  session: string,
  path: string,
  enough: (entries: CaptureEntry[]) => boolean,
): Promise<CaptureEntry[]> {
  const entries: CaptureEntry[] = []
  await rig.link.call('capture.start', { session, origin: site.url })
  await new Promise<void>((resolve, reject) => {
    const off = rig.link.onEvent('capture.entry', event => {
      if (event.session !== session) return
      entries.push(event.entry)
      if (!enough(entries)) return
      off()
      resolve()
    })
    rig.link.call('page.navigate', { session, url: `${site.url}${path}`, until: 'commit' }).catch(reject)
  })
  await rig.link.call('capture.stop', { session })
  return entries
}

const atPath = (entries: CaptureEntry[], path: string): CaptureEntry | undefined =>
  entries.find(entry => new URL(entry.url).pathname === path)

describe('capture', () => {
  test('sees the first request of the first script of a page with a strict policy', async () => {
    const entries = await capture('head', '/head-first', all => all.length === 1)
    expect(entries[0]).toMatchObject({
      kind: 'fetch',
      method: 'POST',
      url: `${site.url}/api/early?n=1`,
      status: 200,
      request_headers: { 'x-token': 't' },
      request_body: '{"q":"ä"}',
      response_headers: { 'content-type': 'application/json', 'x-mine': '1' },
      response_body: '{"word":"läuft"}',
      truncated: false,
      frame_url: `${site.url}/head-first`,
    })
    const page = await pageAt(`${site.url}/head-first`)
    await page.waitForFunction(() => document.title === 'läuft')
  })

  test('sees every kind of request, also of a frame that was just made', async () => {
    const entries = await capture('kinds', '/kinds', all => all.length >= 8)
    expect(atPath(entries, '/api/xhr')).toMatchObject({
      kind: 'xhr',
      method: 'PUT',
      request_headers: { 'x-one': '1' },
      request_body: 'a=1',
      response_body: '[1,2]',
    })
    expect(atPath(entries, '/api/request')).toMatchObject({ method: 'POST', request_body: 'by request' })
    expect(atPath(entries, '/api/from-frame')).toMatchObject({ response_body: '"f"' })
    expect(atPath(entries, '/api/binary')).toMatchObject({ status: 200, response_body: null })
    const frames = entries.filter(entry => entry.kind === 'websocket')
    expect(frames.map(entry => [entry.method, entry.request_body ?? entry.response_body])).toEqual([
      ['SEND', 'hello'],
      ['RECEIVE', 'echo hello'],
    ])
    const stream = entries.filter(entry => entry.kind === 'eventsource')
    expect(stream.map(entry => entry.response_body)).toEqual(['plain', 'named'])
  })

  test('leaves functions that look native, and nothing to find', async () => {
    await rig.link.call('capture.start', { session: 'native', origin: site.url })
    await rig.link.call('page.navigate', { session: 'native', url: `${site.url}/native`, until: 'load' })
    const { value } = await rig.link.call('page.evaluate', { session: 'native', expression: 'looks' })
    await rig.link.call('capture.stop', { session: 'native' })
    const code = (name: string) => `function ${name}() { [native code] }`
    expect(value).toEqual({
      fetch: ['fetch', 1, code('fetch'), code('fetch')],
      open: ['open', 2, code('open'), code('open')],
      socket: ['WebSocket', 1, code('WebSocket'), code('WebSocket')],
      toString: ['toString', 0, code('toString'), code('toString')],
      same: true,
      own: [],
      flags: true,
      dom: false,
    })
  })

  test('cannot be fed or overheard by the page', async () => {
    const entries = await capture('forger', '/forger', all => all.length === 1)
    expect(entries.map(entry => new URL(entry.url).pathname)).toEqual(['/api/early'])
    const { value } = await rig.link.call('page.evaluate', { session: 'forger', expression: 'heard' })
    // The page hears its own two events and nothing else.
    expect(value).toEqual(['unicli-offer1', 'taken false', 'unicli-wanted'])
  })

  test('does not touch other tabs of the site, and leaves its own when it stops', async () => {
    await rig.link.call('capture.start', { session: 'mine', origin: site.url })
    await rig.link.call('page.navigate', { session: 'mine', url: `${site.url}/`, until: 'load' })
    const mine = await pageAt(`${site.url}/`)
    const other = await rig.browser.context.newPage()
    await other.goto(`${site.url}/?other`)
    const seen: string[] = []
    const off = rig.link.onEvent('capture.entry', event => seen.push(`${event.session} ${event.entry.url}`))
    await other.evaluate(() => fetch('/api/early?other'))
    const told = rig.link.nextEvent('capture.entry')
    await mine.evaluate(() => fetch('/api/early?mine'))
    await told
    await rig.link.call('capture.stop', { session: 'mine' })
    await mine.evaluate(() => fetch('/api/early?after'))
    await rig.link.call('link.ping', {})
    off()
    expect(seen).toEqual([`mine ${site.url}/api/early?mine`])
    const worker = await rig.browser.serviceWorker()
    expect(await worker.evaluate(() => chrome.scripting.getRegisteredContentScripts())).toEqual([])
    await other.close()
  })
})
