import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { Failure } from '../../../shared/failures.ts'
import { refusal, SECURITY_HEADERS } from './answer.ts'
import { createGuard, type Guard } from './guard.ts'

export interface HttpListener {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Takes no more requests, ends those that go on, and resolves when the port is free. Safe to call twice. */
  close(): Promise<void>
}

/** What stands behind the guard. */
export interface Site {
  fetch: (request: Request) => Response | Promise<Response>
  /** Ends streams and aborts calls, so that open answers come to their end. */
  endAll: () => void
}

/** A slow sender holds a connection no longer than this; answers may take as long as they need. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 }
const MAX_CONNECTIONS = 256
const CLOSE_GRACE_MS = 2_000

/**
 * Opens 127.0.0.1 and nothing else.
 *
 * @param port 0 lets the system choose
 * @throws config_invalid when the port cannot be had
 */
export async function listen(site: Site, port: number, token: string): Promise<HttpListener> {
  const open = new Set<ServerResponse>()
  const answer = getRequestListener(site.fetch)
  let guard: Guard | null = null
  const server = createServer(
    // Node would refuse a request without Host itself, without a word why.
    { ...TIMEOUTS, maxHeaderSize: 16 * 1024, requireHostHeader: false },
    (incoming, outgoing) => {
      open.add(outgoing)
      outgoing.once('close', () => open.delete(outgoing))
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value)
      const failure = guard?.(incoming) ?? null
      if (failure === null) void answer(incoming, outgoing)
      else turnAway(incoming, outgoing, failure)
    },
  )
  server.maxConnections = MAX_CONNECTIONS
  server.on('clientError', answerGarbage)
  const bound = await bind(server, port)
  guard = createGuard({ port: bound, token })
  let closing: Promise<void> | null = null
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () => {
      closing ??= close(server, open, site.endAll)
      return closing
    },
  }
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', error =>
      reject(new Failure('config_invalid', { key: 'http.port', reason: error.message }, { cause: error })),
    )
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function turnAway(incoming: IncomingMessage, outgoing: ServerResponse, failure: Failure): void {
  const { status, headers, body } = refusal(failure)
  // An upload that nobody wants is not read to its end: the connection closes behind the answer.
  outgoing.writeHead(status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    ...(status === 413 ? { Connection: 'close' } : {}),
  })
  outgoing.end(body)
  incoming.resume()
}

/** What is no HTTP at all still gets an answer of the one shape. */
function answerGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'its headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'it did not arrive in time']
        : ['400 Bad Request', 'it is not HTTP']
  const { headers, body } = refusal(new Failure('bad_request', { reason }))
  const lines = Object.entries({
    ...SECURITY_HEADERS,
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
}

async function close(server: Server, open: ReadonlySet<ServerResponse>, endAll: () => void): Promise<void> {
  const closed = new Promise(resolve => server.close(resolve))
  endAll()
  const ends = [...open].map(outgoing => new Promise(resolve => outgoing.once('close', resolve)))
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise(resolve => {
    timer = setTimeout(resolve, CLOSE_GRACE_MS)
  })
  await Promise.race([Promise.all(ends), patience])
  clearTimeout(timer)
  server.closeAllConnections()
  await closed
}
