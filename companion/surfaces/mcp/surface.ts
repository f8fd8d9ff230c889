import type { Readable, Writable } from 'node:stream'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type McpServerFactory,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Kernel } from '../../kernel/operation.ts'
import type { EvidencePort } from '../../ports/state.ts'
import { callTool } from './calls.ts'
import { createMcpHttp, SESSION_HEADER } from './http.ts'
import { LegacyCalls } from './legacy-calls.ts'
import { PipeTransport } from './pipe-transport.ts'
import { Rounds } from './rounds.ts'
import { INSTRUCTIONS, toolsOf } from './tools.ts'

export interface McpSurfaceParts {
  kernel: Kernel
  version: string
  /** Where the pictures of an answer are. */
  evidence: Pick<EvidencePort, 'get'>
  /** Whether an approval may be allowed over HTTP, where the client may be the program that asked. */
  takesYes: () => boolean
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

/** Whether the client puts forms before a person; one that only says that it asks at all does. */
function showsForms(server: Server, { mcpReq }: ServerContext): boolean {
  // Said with each request since 2026-07-28, and before that once, at the handshake.
  const envelope: Record<string, unknown> = { ...mcpReq.envelope }
  const said = envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined
  const asks = (said ?? server.getClientCapabilities())?.elicitation
  return asks !== undefined && (asks.form !== undefined || asks.url === undefined)
}

/** MCP for both eras of the protocol: stateless 2026-07-28, and the handshake of 2025-11-25 and before. */
export function createMcpSurface({
  kernel,
  version,
  evidence,
  takesYes,
  onFault,
}: McpSurfaceParts): McpSurface {
  const legacyCalls = new LegacyCalls()
  const rounds = new Rounds()

  /** One for each exchange or connection: the SDK binds a server to one era and one transport. */
  const makeServer = ({ era, requestInfo }: Parameters<McpServerFactory>[0]): Server => {
    const session = era === 'legacy' ? (requestInfo?.headers.get(SESSION_HEADER) ?? null) : null
    const server = new Server(
      { name: 'unicli', version },
      {
        capabilities: { tools: {} },
        instructions: INSTRUCTIONS,
        cacheHints: { 'tools/list': { ttlMs: TOOLS_TTL_MS, cacheScope: 'private' } },
      },
    )
    server.setRequestHandler('tools/list', () => ({ tools: toolsOf(kernel.catalogue) }))
    server.setRequestHandler('tools/call', async (request, ctx) => {
      const { signal, release } = legacyCalls.open(session, ctx.mcpReq.id, ctx.mcpReq.signal)
      const mayAsk = requestInfo === undefined || takesYes()
      const asking = mayAsk && showsForms(server, ctx) ? (era === 'legacy' ? 'push' : 'rounds') : null
      return callTool({ kernel, evidence }, request.params, ctx, signal, { asking, rounds }).finally(release)
    })
    if (session !== null)
      server.setNotificationHandler('notifications/cancelled', ({ params }) =>
        legacyCalls.cancel(session, params.requestId),
      )
    server.onerror = onFault
    return server
  }
  const http = createMcpHttp(makeServer, onFault)
  const connections = new Set<McpConnection>()

  return {
    fetch: http.fetch,
    serve: ({ readable, writable }) => {
      const transport = new PipeTransport(readable, writable)
      const { close } = serveStdio(makeServer, { transport, onerror: onFault })
      const connection = { closed: transport.closed, close }
      connections.add(connection)
      void transport.closed.then(() => connections.delete(connection))
      return connection
    },
    close: async () => {
      await Promise.all([http.close(), ...[...connections].map(connection => connection.close())])
    },
  }
}
