import type { CallToolResult, Client, Transport } from '@modelcontextprotocol/client'
import { Failure } from '../../../shared/failures.ts'
import type { AccessCheck } from '../../ports/access.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { HttpPort } from '../../ports/http.ts'
import type { McpAnswer, McpCall, McpContent, McpFactory, McpServer, RunMcp } from '../../ports/mcp.ts'
import { fetchOver } from './fetch.ts'

export const createMcpFactory = (version: string): McpFactory => ({
  open: ({ http, access }) => new Connections({ http, access, version }),
})

interface Parts {
  http: HttpPort
  access: AccessCheck
  version: string
}

/** The MCP servers that one run speaks with, each connected once. */
class Connections implements RunMcp {
  readonly #parts: Parts
  readonly #open = new Map<string, Promise<Client>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async call({ server, tool, args, read }: McpCall, options: CallOptions): Promise<McpAnswer> {
    const client = await this.#client(server, options)
    try {
      const result = await client.callTool(
        { name: tool, arguments: args },
        { signal: options.signal, timeout: Math.min(options.deadline - Date.now(), MAX_TIMER_MS) },
      )
      return answerOf(result)
    } catch (error) {
      const failure = failureOf(error, `${nameOf(server)} ${tool}`, options)
      if (read || !Failure.is(failure, 'network_error')) throw failure
      throw new Failure('outcome_unknown', { action: `${tool} at ${nameOf(server)}` }, { cause: error })
    }
  }

  async close(): Promise<void> {
    const closing = [...this.#open.values()].map(async open => {
      // One that never came up has nothing to close.
      const client = await open.catch(() => null)
      await client?.close()
    })
    this.#open.clear()
    await Promise.all(closing)
  }

  #client(server: McpServer, options: CallOptions): Promise<Client> {
    const key = JSON.stringify(server)
    const open = this.#open.get(key) ?? connect(server, this.#parts, options)
    this.#open.set(key, open)
    // A connection that failed is tried anew by the next call.
    open.catch(() => this.#open.delete(key))
    return open
  }
}

/** The longest that a timer can be set to. */
const MAX_TIMER_MS = 2 ** 31 - 1

async function connect(server: McpServer, parts: Parts, options: CallOptions): Promise<Client> {
  if (server.kind === 'stdio') await parts.access({ kind: 'execute', argv: [server.command, ...server.args] })
  const { Client } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'unicli', version: parts.version })
  try {
    const transport = await transportOf(server, parts, options)
    await client.connect(transport, { signal: options.signal })
    return client
  } catch (error) {
    await client.close()
    throw failureOf(error, nameOf(server), options)
  }
}

async function transportOf(server: McpServer, { http }: Parts, options: CallOptions): Promise<Transport> {
  if (server.kind === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    return new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: fetchOver(http, options),
      requestInit: { headers: { ...server.headers } },
    })
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const { command, args, env } = server
  // What it prints beside the protocol is for its own log, not for ours: it may hold anything.
  return new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'ignore' })
}

const nameOf = (server: McpServer): string =>
  server.kind === 'http' ? server.url : [server.command, ...server.args].join(' ')

/** What the SDK throws, by its name: instanceof would load the SDK only to ask. */
function failureOf(error: unknown, what: string, { signal }: CallOptions): Failure {
  if (signal.aborted && Failure.is(signal.reason)) return signal.reason
  if (Failure.is(error)) return error
  const { name, message, code } = error as Error & { code?: unknown }
  if (code === 'ENOENT')
    return new Failure('unsupported', {
      what: `Starting ${what}`,
      where: 'this computer: there is no such program on the PATH',
      hint: 'Install it, or name it by its absolute path.',
    })
  if (name === 'ProtocolError')
    return new Failure('remote_error', { what, reason: message }, { cause: error })
  const cause = (error as Error).cause
  if (Failure.is(cause)) return cause
  return new Failure('network_error', { url: what, reason: message }, { cause: error })
}

const answerOf = (result: CallToolResult): McpAnswer => ({
  isError: result.isError === true,
  structured: result.structuredContent,
  content: result.content.map(contentOf),
})

function contentOf(block: CallToolResult['content'][number]): McpContent {
  if (block.type === 'text') return { type: 'text', text: block.text }
  if (block.type === 'image' || block.type === 'audio')
    return { type: 'bytes', media_type: block.mimeType, base64: block.data }
  if (block.type === 'resource_link') return { type: 'link', uri: block.uri, name: block.name }
  const { resource } = block
  return 'text' in resource
    ? { type: 'text', text: resource.text }
    : { type: 'bytes', media_type: resource.mimeType ?? 'application/octet-stream', base64: resource.blob }
}
