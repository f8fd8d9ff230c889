import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { RunOptions } from '../../companion/kernel/operation.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { CLI, type Product } from './product.ts'

/** A client of the product over one surface; one call after the other, as agents make them. */
export interface Agent {
  name: string
  run(operation: string, args: Record<string, unknown>, options: RunOptions): Promise<Envelope>
  close(): Promise<void>
}

/** One process for each call. */
export const cliAgent = (product: Product, name: string): Agent => ({
  name,
  run: async (operation, args, options) => {
    const flags = Object.entries(options).map(([key, value]) => `--${key.replace('_ms', '')}=${value}`)
    const run = await product.cli(...operation.split('.'), '--args', JSON.stringify(args), ...flags)
    return run.json()
  },
  close: () => Promise.resolve(),
})

export const httpAgent = (product: Product, name: string): Agent => ({
  name,
  run: (operation, args, options) => product.run(operation, args, { ...options }),
  close: () => Promise.resolve(),
})

/** The SDK's client over Streamable HTTP. */
export async function mcpHttpAgent(product: Product, name: string): Promise<Agent> {
  const { http_url: url } = await product.discovery()
  const headers = { authorization: `Bearer ${await product.token()}` }
  return mcpAgent(name, new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
}

/** The SDK's client with `unicli mcp serve` as its server. */
export const mcpStdioAgent = (product: Product, name: string): Promise<Agent> =>
  mcpAgent(
    name,
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'mcp', 'serve'],
      env: product.env.env,
    }),
  )

async function mcpAgent(name: string, transport: Transport): Promise<Agent> {
  const client = new Client({ name, version: '1' })
  await client.connect(transport)
  return {
    name,
    run: async (operation, args, options) => {
      const { structuredContent } = await client.callTool({
        name: 'run',
        arguments: { operation, args, options },
      })
      return structuredContent as Envelope
    },
    close: () => client.close(),
  }
}
