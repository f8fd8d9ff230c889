import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep } from '../kernel/step.ts'
import type { McpAnswer, McpContent, McpServer } from '../ports/mcp.ts'
import { addressOf } from './addresses.ts'
import { misused } from './http-request.ts'
import { parsedOrText } from './messages.ts'

const McpCall = z.strictObject({
  command: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'program and arguments of a server that speaks over stdio; the adapter must declare the program',
    ),
  url: z.string().min(1).optional().describe('address of a server that speaks Streamable HTTP'),
  headers: z.record(z.string(), z.string()).default({}).describe('of a server with an address'),
  env: z
    .array(z.string().min(1))
    .default([])
    .describe('environment names that the program gets, of those that the adapter declares'),
  tool: z.string().min(1),
  args: z.record(z.string(), z.unknown()).default({}),
  parse: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .describe('how text is read when there is no structured answer'),
  effect: z.enum(['read']).optional().describe('says that this tool changes nothing'),
})

export const mcpCall = defineStep({
  name: 'mcp_call',
  doc: 'Call a tool of an MCP server; answers its structured content, else its text.',
  needs: ['mcp'],
  effect: 'inherits',
  effectOf: ({ effect }) => (effect === 'read' ? 'read' : 'write'),
  executables: ({ command }) =>
    Array.isArray(command) && typeof command[0] === 'string' ? [command[0]] : [],
  schema: McpCall,
  example: {
    command: ['weather-server', '--stdio'],
    env: ['WEATHER_KEY'],
    tool: 'forecast',
    args: { city: '${{ args.city }}' },
    effect: 'read',
  },
  run: async (ctx, params) => {
    const server = serverOf(params, ctx.scope.base, ctx.scope.env)
    const { tool, args, effect, parse } = params
    const answer = await ctx.mcp.call({ server, tool, args, read: effect === 'read' }, ctx)
    if (answer.isError) {
      const reason = textOf(answer).trim()
      throw new Failure('remote_error', {
        what: `The tool ${tool}`,
        reason: reason === '' ? 'it gave no reason' : reason,
      })
    }
    return answer.structured ?? contentOf(answer, tool, parse)
  },
})

function serverOf(
  { command, url, headers, env }: z.output<typeof McpCall>,
  base: string,
  declared: Readonly<Record<string, string>>,
): McpServer {
  const [program, ...args] = command ?? []
  if ((program === undefined) === (url === undefined)) throw misused('mcp_call needs either command or url')
  if (program === undefined) return { kind: 'http', url: addressOf({ url: url ?? '' }, base), headers }
  return { kind: 'stdio', command: program, args, env: picked(env, declared) }
}

function picked(
  names: readonly string[],
  declared: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    names.map(name => {
      const value = declared[name]
      if (value === undefined)
        throw new Failure('config_invalid', {
          key: name,
          reason:
            "it is not set in the companion's environment, or the adapter does not declare it under env",
        })
      return [name, value]
    }),
  )
}

const textOf = ({ content }: McpAnswer): string =>
  content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join('\n')

/** One text is the answer itself; of several blocks, or bytes, each is a row. */
function contentOf(answer: McpAnswer, tool: string, parse: 'auto' | 'json' | 'text'): unknown {
  const { content } = answer
  const isText = content.every(block => block.type === 'text')
  if (parse === 'json') return jsonOf(textOf(answer), tool)
  const read = (text: string): unknown => (parse === 'text' ? text : parsedOrText(text))
  if (isText && content.length <= 1) return read(textOf(answer))
  return content.map((block: McpContent) => (block.type === 'text' ? read(block.text) : block))
}

function jsonOf(text: string, tool: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Failure(
      'parse_failed',
      { what: `The answer of the tool ${tool}`, reason: 'not JSON' },
      { cause },
    )
  }
}
