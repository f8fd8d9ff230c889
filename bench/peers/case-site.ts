import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { PAGES, pageOfNodes } from './case-pages.ts'

/**
 * The pages that tools are tried on, and what the pages themselves say happened: the judge is the page, never the
 * tool.
 */
export interface CaseSite {
  url(path: string): string
  /** Resolves with what was said once it fits, or with all that was said when it does not in time. */
  said(fits: (all: readonly string[]) => boolean, withinMs: number): Promise<readonly string[]>
  forget(): void
  /** Tells every open page to do what it does on an order. */
  order(text: string): void
  stop(): Promise<void>
}

/** What every page has: `say` tells the judge, `onOrder` is told by it. */
const PRELUDE = `<script>
  const say = text => void fetch('/said', { method: 'POST', body: text }).then(answer => answer.text())
  const onOrder = act => { new EventSource('/orders').onmessage = event => act(event.data) }
</script>`

export async function startCaseSite(): Promise<CaseSite> {
  let said: string[] = []
  const waiting = new Set<() => void>()
  const orders = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://case')
    if (pathname === '/said') {
      void text(request).then(body => {
        said.push(body)
        for (const wake of waiting) wake()
        response.end()
      })
    } else if (pathname === '/orders') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      orders.add(response)
      response.on('close', () => orders.delete(response))
    } else if (pathname.startsWith('/slow')) {
      setTimeout(() => response.setHeader('content-type', 'text/html').end(html('<h1>Arrived</h1>')), 2000)
    } else {
      const { port } = server.address() as AddressInfo
      const page = pageOf(pathname.slice(1), port)
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.writeHead(page === undefined ? 404 : 200).end(page ?? 'no such page')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: path => `http://127.0.0.1:${port}/${path}`,
    said: (fits, withinMs) =>
      new Promise(resolve => {
        const end = (): void => {
          clearTimeout(timer)
          waiting.delete(look)
          resolve([...said])
        }
        const look = (): void => {
          if (fits(said)) end()
        }
        const timer = setTimeout(end, withinMs)
        waiting.add(look)
        look()
      }),
    forget: () => {
      said = []
    },
    order: text => {
      for (const response of orders) response.write(`data: ${text}\n\n`)
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const FIXTURES = join(import.meta.dirname, '../../tests/fixtures/pages')

function pageOf(path: string, port: number): string | undefined {
  const [kind, name = ''] = path.split('/')
  if (kind === 'fixture') return readFileSync(join(FIXTURES, `${name}.html`), 'utf8')
  const body = kind === 'nodes' ? pageOfNodes(Number(name)) : PAGES[path]
  return body === undefined ? undefined : html(body.replaceAll('PORT', String(port)))
}

const html = (body: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Case</title><link rel="icon" href="data:,">${PRELUDE}${body}`
