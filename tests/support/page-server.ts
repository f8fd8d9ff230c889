import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Pages of a test's own making on a free port of 127.0.0.1. */
export interface PageServer {
  /** Without a trailing slash. */
  url: string
  /** Every request so far, oldest first. */
  requests: SeenRequest[]
  /** The next request whose path begins so. */
  nextRequest(path: string): Promise<SeenRequest>
  close(): Promise<void>
}

export interface SeenRequest {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** What a path answers with: HTML, or everything by hand. */
export type Page = string | ((request: SeenRequest, response: ServerResponse) => void)

/** A file that the browser downloads under this name, where a link or a form leads to it. */
export const attachment =
  (name: string, type: string, content: string | Buffer): Page =>
  (_, response) =>
    response
      .writeHead(200, {
        'content-type': type,
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      })
      .end(content)

/** `pages` by path without query; `/` is a small page unless it is among them. */
export async function startPageServer(pages: Record<string, Page> = {}): Promise<PageServer> {
  const all: Record<string, Page> = { '/': '<!doctype html><title>Page</title><h1>Page</h1>', ...pages }
  const requests: SeenRequest[] = []
  const waiting = new Set<(request: SeenRequest) => void>()
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part))
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: Buffer.concat(parts).toString(),
      }
      requests.push(request)
      for (const tell of waiting) tell(request)
      answer(all[request.path.split('?')[0] ?? ''], request, response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    nextRequest: path =>
      new Promise(resolve => {
        const tell = (request: SeenRequest): void => {
          if (!request.path.startsWith(path)) return
          waiting.delete(tell)
          resolve(request)
        }
        waiting.add(tell)
      }),
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function answer(page: Page | undefined, request: SeenRequest, response: ServerResponse): void {
  if (typeof page === 'function') {
    page(request, response)
    return
  }
  response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(page ?? 'not here')
}
