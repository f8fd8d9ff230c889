import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

/** What a tool answered, as a model reads it. */
export interface Answer {
  text: string
  isError: boolean
  ms: number
}

/**
 * A browser tool as an agent drives it, over MCP on stdio. Elements are named by what the tool's own snapshot
 * calls them.
 */
export interface BrowserAgent {
  readonly name: string
  /** Where files have to lie to be uploaded; anywhere when left out. */
  readonly files?: string
  open(url: string): Promise<Answer>
  snapshot(): Promise<Answer>
  /** The handle of the element of this role and name in a snapshot; null where the tool does not show it. */
  find(snapshot: string, role: string, name: string): string | null
  click(handle: string): Promise<Answer>
  fill(handle: string, text: string): Promise<Answer>
  press(key: string): Promise<Answer>
  /** An option of a native list or a combobox by its label, with the one call that the tool has for it. */
  select(handle: string, option: string): Promise<Answer>
  drag(from: string, to: string): Promise<Answer>
  upload(handle: string, path: string): Promise<Answer>
  /** Puts another tab before the one that was opened, and aims at that one again as the tool has it. */
  behind(): Promise<void>
  /** Answers a dialog that is open, where the tool leaves it open. */
  settleDialog(): Promise<void>
  /** Calls by the tool's own names, for what only some have. */
  call(tool: string, args: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

export interface Server {
  command: string
  args: string[]
  env: Record<string, string>
  cwd: string
}

/** No answer of a tool is waited for longer than this. */
const PATIENCE_MS = 45_000

export interface Connection {
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>
  close(): Promise<void>
}

/** Starts an MCP server and connects to it. What it logs is left unread. */
export async function connect(name: string, server: Server): Promise<Connection> {
  const client = new Client({ name: `bench-${name}`, version: '1.0.0' })
  await client.connect(new StdioClientTransport({ ...server, stderr: 'ignore' }))
  return {
    call: async (tool, args = {}) => {
      const started = performance.now()
      try {
        const { content, isError } = await client.callTool(
          { name: tool, arguments: args },
          { timeout: PATIENCE_MS },
        )
        const texts = content.map(part => (part.type === 'text' ? part.text : `(${part.type})`))
        return { text: texts.join('\n'), isError: isError === true, ms: performance.now() - started }
      } catch (error) {
        // A tool that answers nothing, or an error of the protocol, is as good as an error to an agent.
        return { text: String(error), isError: true, ms: performance.now() - started }
      }
    },
    close: () => client.close(),
  }
}
