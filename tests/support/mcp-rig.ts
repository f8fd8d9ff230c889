import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import {
  Client,
  type ClientOptions,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import {
  createMcpSurface,
  type McpConnection,
  type McpSurface,
  type McpSurfaceParts,
} from '../../companion/surfaces/mcp/surface.ts'
import { type HttpRig, startHttpRig, TOKEN } from './http-rig.ts'
import { type Script, type ScriptedKernel, scriptedKernel } from './scripted-kernel.ts'

/** Both eras of the protocol, as clients ask for them, with the revision that they end up with. */
export const ERAS = [
  { mode: 'legacy', revision: '2025-11-25' },
  { mode: { pin: '2026-07-28' }, revision: '2026-07-28' },
] as const
export type Era = (typeof ERAS)[number]

/** The person behind a client: what comes of a form. */
export type FormHandler = (request: ElicitRequest) => Promise<ElicitResult>

/** A pair of streams with the surface at their other end. */
export interface Pipe {
  toServer: PassThrough
  toClient: PassThrough
  /** What comes back, line by line. */
  lines: AsyncIterator<string>
  connection: McpConnection
}

/** An MCP surface before a scripted kernel, with its ways in. */
export interface McpRig {
  kernel: ScriptedKernel
  surface: McpSurface
  faults: unknown[]
  http: HttpRig
  /** A real SDK client, connected over Streamable HTTP through the guarded HTTP surface. */
  overHttp(era: Era, answers?: FormHandler): Promise<Client>
  /** A real SDK client over a pair of streams, which vanish when it closes. */
  overPipe(era: Era, answers?: FormHandler): Promise<Client>
  pipe(): Pipe
  close(): Promise<void>
}

/** @param over a kernel in the scripted one's place, and what only some tests change */
export async function startMcpRig(
  scripts: readonly Script[],
  over: Partial<Pick<McpSurfaceParts, 'kernel' | 'takesYes' | 'evidence'>> = {},
): Promise<McpRig> {
  const kernel = scriptedKernel(scripts)
  const faults: unknown[] = []
  const surface = createMcpSurface({
    kernel,
    version: '0.0.0-test',
    takesYes: () => false,
    evidence: { get: () => null },
    ...over,
    onFault: error => faults.push(error),
  })
  const http = await startHttpRig([], { kernel, mcp: surface.fetch })
  const clients: Client[] = []
  const join = async (era: Era, transport: Transport, answers?: FormHandler) => {
    const client = new Client({ name: 'test', version: '1' }, optionsOf(era, answers))
    clients.push(client)
    if (answers !== undefined) client.setRequestHandler('elicitation/create', answers)
    await client.connect(transport)
    return client
  }
  const pipe = () => {
    const toServer = new PassThrough()
    const toClient = new PassThrough()
    const connection = surface.serve({ readable: toServer, writable: toClient })
    return { toServer, toClient, connection }
  }
  return {
    kernel,
    surface,
    faults,
    http,
    overHttp: (era, answers) =>
      join(
        era,
        new StreamableHTTPClientTransport(new URL(`${http.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${TOKEN}` } },
        }),
        answers,
      ),
    overPipe: async (era, answers) => {
      const { toServer, toClient } = pipe()
      // Lines in, lines out: the SDK's transport does not mind which end it is.
      const client = await join(era, new StdioServerTransport(toClient, toServer), answers)
      client.onclose = () => toServer.destroy()
      return client
    },
    pipe: () => {
      const streams = pipe()
      return { ...streams, lines: createInterface({ input: streams.toClient })[Symbol.asyncIterator]() }
    },
    close: async () => {
      await Promise.all(clients.map(client => client.close()))
      await surface.close()
      await http.close()
    },
  }
}

const optionsOf = ({ mode }: Era, answers?: FormHandler): ClientOptions => ({
  versionNegotiation: { mode },
  ...(answers !== undefined && { capabilities: { elicitation: { form: {} } } }),
})
