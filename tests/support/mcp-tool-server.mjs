import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** Tools of a test: what an answer can be made of, and what can go wrong. */
export function makeToolServer() {
  const server = new McpServer({ name: 'tools', version: '1' })
  let calls = 0
  server.registerTool(
    'add',
    {
      description: 'Adds.',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number(), calls: z.number() }),
    },
    ({ a, b }) => {
      const answer = { sum: a + b, calls: ++calls }
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
    },
  )
  const text = (/** @type {string} */ said) => ({
    content: [{ type: /** @type {const} */ ('text'), text: said }],
  })
  server.registerTool('say', { description: 'Says.', inputSchema: z.object({ text: z.string() }) }, args =>
    text(args.text),
  )
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, () => ({
    ...text('no such city: 桥'),
    isError: true,
  }))
  server.registerTool('picture', { description: 'Draws.', inputSchema: z.object({}) }, () => ({
    content: [
      { type: 'text', text: 'a dot' },
      { type: 'image', mimeType: 'image/png', data: 'AAEC' },
    ],
  }))
  server.registerTool('process', { description: 'Tells.', inputSchema: z.object({}) }, () =>
    text(JSON.stringify({ pid: process.pid, env: process.env })),
  )
  server.registerTool('die', { description: 'Dies.', inputSchema: z.object({}) }, () => process.exit(1))
  return server
}

if (process.argv.includes('--stdio')) serveStdio(makeToolServer)
