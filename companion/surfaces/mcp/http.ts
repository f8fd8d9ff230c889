import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  readRequestBody,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { parsedJson } from '../../../shared/json.ts'

export const SESSION_HEADER = 'mcp-session-id'

/** Makes the server of one exchange. */
type MakeServer = (context: Parameters<McpServerFactory>[0]) => Server

export interface McpHttp {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** Streamable HTTP for both eras: the SDK's handler, and what callers of the older one need beyond it. */
export function createMcpHttp(makeServer: MakeServer, onFault: (error: unknown) => void): McpHttp {
  const handler = createMcpHandler(makeServer, { legacy: 'stateless', onerror: onFault })

  async function answerLegacy(request: Request, parsedBody: unknown): Promise<Response> {
    const response = await (takesStream(request)
      ? handler.fetch(request, { parsedBody })
      : answerPlainly(makeServer({ era: 'legacy', requestInfo: request }), request, parsedBody))
    if (isInitialize(parsedBody)) response.headers.set(SESSION_HEADER, randomUUID())
    return response
  }

  return {
    fetch: async request => {
      // Only modern requests name their method in a header.
      if (request.method !== 'POST' || request.headers.has('mcp-method')) return handler.fetch(request)
      const body = await readJson(request.clone())
      if (body === undefined) return handler.fetch(request)
      return (await isLegacyRequest(request, body))
        ? answerLegacy(request, body)
        : handler.fetch(request, { parsedBody: body })
    },
    close: handler.close,
  }
}

/** Undefined for what is too large or no JSON: the handler says so better. */
async function readJson(request: Request): Promise<unknown> {
  const body = await readRequestBody(request)
  return body.tooLarge ? undefined : parsedJson(body.text, undefined)
}

const takesStream = (request: Request): boolean =>
  (request.headers.get('accept') ?? '').includes('text/event-stream')

const isInitialize = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize'

/**
 * A call by somebody who does not know of event streams, such as curl: the SDK would refuse the Accept header of
 * a 2025-era request. It gets the one answer as JSON, without progress.
 */
async function answerPlainly(server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  const gone = new Promise<Response>(resolve =>
    request.signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })), {
      once: true,
    }),
  )
  try {
    return await Promise.race([
      transport.handleRequest(new Request(request.url, { method: 'POST', headers }), { parsedBody }),
      gone,
    ])
  } finally {
    await server.close()
  }
}
