import type { Readable, Writable } from 'node:stream'
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Kernel } from '../../kernel/operation.ts'
import { callTool } from './calls.ts'
import { PipeTransport } from './pipe-transport.ts'
import { INSTRUCTIONS, toolsOf } from './tools.ts'

export interface McpSurfaceParts {
  kernel: Kernel
  version: string
  /** What went wrong outside of any answer, for the log. */
  onFault: (error: unknown) => void
}

export interface McpSurface {
  /** Streamable HTTP, for /mcp. Checks neither Host, Origin nor token: stand a guard before it. */
  fetch(request: Request): Promise<Response>
  /** The stdio form over a pair of streams: lines of JSON-RPC, and nothing else is ever written. */
  serve(pipe: { readable: Readable; writable: Writable }): McpConnection
  /** Ends exchanges and connections that are open. */
  close(): Promise<void>
}

export interface McpConnection {
  /** Resolves when the connection is over and all was written. */
  closed: Promise<void>
  close(): Promise<void>
}

/** The tools never change while a version runs; clients may keep their list this long. */
const TOOLS_TTL_MS = 300_000

/** MCP for both eras of the protocol: stateless 2026-07-28, and the handshake of 2025-11-25 and before. */
export function createMcpSurface({ kernel, version, onFault }: McpSurfaceParts): McpSurface {
  // One for each exchange or connection: the SDK binds a server to one era and one transport.
  const makeServer = (): Server => {
    const server = new Server(
      { name: 'unicli', version },
      {
        capabilities: { tools: {} },
        instructions: INSTRUCTIONS,
        cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
      },
    )
    server.setRequestHandler('tools/list', () => ({ tools: toolsOf(kernel.catalogue) }))
    server.setRequestHandler('tools/call', (request, ctx) => callTool(kernel, request.params, ctx))
    server.onerror = onFault
    return server
  }
  const handler = createMcpHandler(makeServer, { legacy: 'stateless', onerror: onFault })
  const connections = new Set<McpConnection>()

  return {
    fetch: async request =>
      isPlainPost(request) && (await isLegacyRequest(request))
        ? answerPlainly(makeServer(), request)
        : handler.fetch(request),
    serve: ({ readable, writable }) => {
      const transport = new PipeTransport(readable, writable)
      const { close } = serveStdio(makeServer, { transport, onerror: onFault })
      const connection = { closed: transport.closed, close }
      connections.add(connection)
      void transport.closed.then(() => connections.delete(connection))
      return connection
    },
    close: async () => {
      await Promise.all([handler.close(), ...[...connections].map(connection => connection.close())])
    },
  }
}

const isPlainPost = (request: Request): boolean =>
  request.method === 'POST' && !(request.headers.get('accept') ?? '').includes('text/event-stream')

/**
 * A call by somebody who does not know of event streams, such as curl: the SDK would refuse the Accept header of
 * a 2025-era request. It gets the one answer as JSON, without progress.
 */
async function answerPlainly(server: Server, request: Request): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  const body = await request.text()
  const gone = new Promise<Response>(resolve =>
    request.signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })), {
      once: true,
    }),
  )
  try {
    return await Promise.race([
      transport.handleRequest(new Request(request.url, { method: 'POST', headers, body })),
      gone,
    ])
  } finally {
    await server.close()
  }
}
