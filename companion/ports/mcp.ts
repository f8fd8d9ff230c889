import type { AccessCheck } from './access.ts'
import type { CallOptions } from './browser.ts'
import type { HttpPort } from './http.ts'

/** Where an MCP server is: a program that speaks over stdio, or an address of Streamable HTTP. */
export type McpServer =
  | {
      kind: 'stdio'
      command: string
      args: readonly string[]
      /** Beside what every program gets (PATH, HOME, language). */
      env: Readonly<Record<string, string>>
    }
  | { kind: 'http'; url: string; headers: Readonly<Record<string, string>> }

export interface McpCall {
  server: McpServer
  tool: string
  args: Record<string, unknown>
  /** The tool changes nothing: it may be called again. */
  read: boolean
}

export interface McpAnswer {
  /** What the tool calls a failure of its own. */
  isError: boolean
  /** Undefined when it gave none. */
  structured: unknown
  content: readonly McpContent[]
}

export type McpContent =
  | { type: 'text'; text: string }
  | { type: 'bytes'; media_type: string; base64: string }
  | { type: 'link'; uri: string; name: string }

export interface McpPort {
  /** Connects on the first call to a server and keeps that connection until the run ends. Fails with network_error,
   *  mcp_failed, unsupported (no such program), outcome_unknown, and as AccessCheck does. */
  call(call: McpCall, options: CallOptions): Promise<McpAnswer>
}

export interface RunMcp extends McpPort {
  /** Ends every connection, and the programs behind them. */
  close(): Promise<void>
}

export interface McpFactory {
  /** `http` is the run's own client, so that every request of a connection is judged as any other. */
  open(options: { http: HttpPort; access: AccessCheck }): RunMcp
}
