import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { WebSocketServer } from 'ws'
import { type Page, type PageServer, startPageServer } from './page-server.ts'

/** A site whose one page asks in every way in which a page can ask. */
export interface TrafficSite extends PageServer {
  /** The same server under another site's name. */
  otherUrl: string
}

export const BIG_BYTES = 20 * 1024 * 1024
export const BURST = 1000

const json =
  (value: unknown): Page =>
  (_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'sid=s3cr3t-of-site' })
      .end(JSON.stringify(value))

const script =
  (source: string): Page =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(source)

const to =
  (location: string): Page =>
  (_, response) =>
    response.writeHead(302, { location }).end()

/** The first script of the page asks before anything else of it is there. */
const app = (other: string, sockets: string): string => `<!doctype html><script>
fetch('/api/early', { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer abcdef123456' }, body: '{"q":"竹","password":"hunter2"}' })
console.log('first line', { a: 1 })
</script><meta charset="utf-8"><title>app</title>
<link rel="stylesheet" href="/style.css"><iframe src="${other}/frame"></iframe><script type="module">
const tasks = []
const until = start => tasks.push(new Promise(start))
until(done => { const x = new XMLHttpRequest(); x.open('PUT', '/api/xhr'); x.onload = done; x.send('a=1') })
navigator.sendBeacon('/api/beacon', 'seen')
tasks.push(fetch('/hop/1').then(r => r.text()))
until(done => { const w = new Worker('/worker.js'); w.onmessage = done })
until(done => { const s = new WebSocket('${sockets}/echo'); s.onopen = () => s.send('hello 世界'); s.onmessage = done })
until(done => { const e = new EventSource('/events'); e.addEventListener('tick', () => { e.close(); done() }) })
tasks.push(fetch('/stream').then(r => r.text()), fetch('/big').then(r => r.text()))
tasks.push(navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready).then(({ active }) =>
  new Promise(done => { navigator.serviceWorker.onmessage = done; active.postMessage('go') })))
until(done => addEventListener('message', done, { once: true }))
console.warn('careful'); Promise.reject(new Error('nobody caught this'))
setTimeout(() => { throw new TypeError('broken') })
await Promise.all(tasks)
document.title = 'done'
window.burst = async () => {
  await Promise.all(Array.from({ length: ${BURST} }, (_, n) => fetch('/api/burst?n=' + n).then(r => r.text())))
  document.title = 'burst'
}
</script>`

const events = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write('data: plain\n\nevent: tick\ndata: named\n\n')
}

const stream = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  let n = 0
  const timer = setInterval(() => {
    response.write(`{"n":${++n}}\n`)
    if (n < 3) return
    clearInterval(timer)
    response.end()
  }, 20)
}

export async function startTrafficSite(): Promise<TrafficSite> {
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(sockets, 'listening')
  sockets.on('connection', client => client.on('message', data => client.send(`echo ${String(data)}`)))
  const address = sockets.address()
  const socketPort = typeof address === 'object' && address !== null ? address.port : 0
  const big = JSON.stringify({ text: 'bamboo '.repeat(BIG_BYTES / 7) })
  let url = ''
  let otherUrl = ''
  const html =
    (markup: () => string): Page =>
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(markup())
  const site = await startPageServer({
    // Else the browser tells of a missing one on the console, whenever it asks for it.
    '/favicon.ico': (_, response) => response.writeHead(204).end(),
    '/start': to('/app'),
    '/app': html(() => app(otherUrl, `ws://127.0.0.1:${socketPort}`)),
    '/frame': html(
      () => `<script>fetch('/api/from-frame').then(() => parent.postMessage('done', '*'))</script>`,
    ),
    '/api/early': json({ word: '早', token: 'tok-9876543210' }),
    '/api/xhr': json([1]),
    '/api/beacon': (_, response) => response.writeHead(204).end(),
    '/api/from-frame': json('f'),
    '/api/from-worker': json('w'),
    '/api/from-sw': json('s'),
    '/api/burst': json({ ok: true }),
    '/hop/1': to('/hop/2'),
    '/hop/2': to('/hop/3'),
    '/hop/3': (_, response) => response.end('arrived'),
    '/plain': (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('竹 — “é”'),
    '/style.css': (_, response) => response.writeHead(200, { 'content-type': 'text/css' }).end('p{}'),
    '/worker.js': script("fetch('/api/from-worker').then(() => postMessage(1))"),
    '/nesting.js': script("new Worker('/nested.js').onmessage = () => postMessage(1)"),
    '/nested.js': script('postMessage(1)'),
    '/shared.js': script('onconnect = ({ ports: [port] }) => port.postMessage(1)'),
    '/sw.js': script(
      "onmessage = e => e.waitUntil(fetch('/api/from-sw').then(() => e.source.postMessage(1)));onactivate = e => e.waitUntil(clients.claim())",
    ),
    '/events': (_, response) => events(response),
    '/stream': (_, response) => stream(response),
    '/big': (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(big),
  })
  url = site.url
  otherUrl = url.replace('127.0.0.1', 'localhost')
  return {
    ...site,
    otherUrl,
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      await site.close()
    },
  }
}
