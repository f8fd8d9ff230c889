import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { parseExpression } from '../kernel/expression.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { Socket } from '../ports/sockets.ts'
import { addressOf } from './addresses.ts'
import { received } from './messages.ts'
import { Within } from './time-limit.ts'

const MAX_MESSAGES = 10_000
const Condition = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    const problem = expressionProblem(text)
    if (problem !== null) context.addIssue({ code: 'custom', message: problem })
  })
const Wait = z.number().int().min(1).max(600_000)

const Act = z.union([
  z.strictObject({
    send: z.unknown().describe('text as it is, {base64: bytes}, anything else as JSON'),
  }),
  z.strictObject({
    expect: Condition.describe('wait for a message for which this holds; others are passed over'),
    as: z.string().min(1).optional().describe('keep it in vars under this name'),
    timeout_ms: Wait.default(10_000),
  }),
  z.strictObject({
    collect: z.strictObject({
      count: z.number().int().min(1).max(MAX_MESSAGES).optional(),
      until: Condition.optional().describe('the message for which this holds is the last'),
      where: Condition.optional().describe('others are passed over'),
      timeout_ms: Wait.default(10_000).describe('end then, with what has come'),
    }),
  }),
])
type Act = z.output<typeof Act>

const Script = z.strictObject({
  url: z.string().min(1).describe('wss: or ws:, or relative to base'),
  headers: z.record(z.string(), z.string()).default({}),
  protocols: z.array(z.string().min(1)).default([]),
  exchange: z
    .array(Act)
    .min(1)
    .meta({ rendered: false })
    .describe('acts in order: send, expect, collect; item is the message (JSON as its value)'),
  effect: z.enum(['read']).optional().describe('says that what is sent changes nothing'),
})

export const websocket = defineStep({
  name: 'websocket',
  doc: 'Speak over a WebSocket by a script; answers what was collected, else the last message that was expected.',
  needs: ['http'],
  effect: 'inherits',
  effectOf: ({ effect, exchange }) => (effect === 'read' || !sends(exchange) ? 'read' : 'write'),
  schema: Script,
  example: {
    url: 'wss://stream.example.com/v1',
    effect: 'read',
    exchange: [
      { expect: "item.type == 'hello'", as: 'hello' },
      { send: { type: 'subscribe', session: '${{ vars.hello.session }}' } },
      { collect: { where: "item.type == 'price'", count: 5, timeout_ms: 3000 } },
    ],
  },
  run: async (ctx, { url, headers, protocols, exchange, effect }) => {
    const read = effect === 'read' || !sends(exchange)
    const request = { url: socketAddress(url, ctx.scope.base), headers, protocols, read }
    const socket = await ctx.http.socket(request, ctx)
    const talk: Talk = { ctx, socket, url: request.url, vars: { ...ctx.scope.vars }, item: undefined }
    try {
      let collected: unknown[] | null = null
      for (const act of exchange) {
        const messages = await perform(talk, act)
        if (messages !== null) collected = [...(collected ?? []), ...messages]
      }
      return collected ?? talk.item ?? null
    } finally {
      socket.close()
    }
  },
})

const sends = (exchange: unknown): boolean =>
  Array.isArray(exchange) && exchange.some(act => typeof act === 'object' && act !== null && 'send' in act)

/** Relative to base like any other address; the protocol is the one for sockets. */
function socketAddress(url: string, base: string): string {
  const address = /^wss?:/i.test(url) ? url : addressOf({ url }, base).replace(/^http/, 'ws')
  if (URL.canParse(address) && /^wss?:$/.test(new URL(address).protocol)) return new URL(address).href
  throw new Failure('usage', {
    problem: `"${url}" is not an address of a WebSocket.`,
    hint: 'Give one such as wss://example.com/stream.',
  })
}

interface Talk {
  ctx: StepContext<'http'>
  socket: Socket
  url: string
  vars: Record<string, unknown>
  /** The message that came last. */
  item: unknown
}

/** What an act collected; null when it collects nothing. */
async function perform(talk: Talk, act: Act): Promise<unknown[] | null> {
  if ('collect' in act) return collect(talk, act.collect)
  if ('expect' in act) {
    talk.item = await expected(talk, act)
    if (act.as !== undefined) talk.vars[act.as] = talk.item
    return null
  }
  const { ctx, socket, item, vars } = talk
  socket.send(encoded(ctx.render(act.send, { item, vars })))
  return null
}

async function expected(talk: Talk, act: Extract<Act, { expect: string }>): Promise<unknown> {
  const within = new Within(talk.ctx.signal, act.timeout_ms)
  try {
    for (;;) {
      const item = await nextOf(talk, within)
      if (holds(talk, act.expect, item)) return item
    }
  } catch (error) {
    if (!within.isOver) throw error
    throw new Failure('deadline_exceeded', { action: `Waiting for ${act.expect}`, ms: act.timeout_ms })
  } finally {
    within.end()
  }
}

async function collect(
  talk: Talk,
  { count = MAX_MESSAGES, until, where, timeout_ms }: Extract<Act, { collect: unknown }>['collect'],
): Promise<unknown[]> {
  const within = new Within(talk.ctx.signal, timeout_ms)
  const messages: unknown[] = []
  try {
    while (messages.length < count) {
      const message = await talk.socket.next(within.signal)
      if (message === null) break
      const item = received(message)
      talk.item = item
      if (where === undefined || holds(talk, where, item)) messages.push(item)
      if (until !== undefined && holds(talk, until, item)) break
    }
    return messages
  } catch (error) {
    if (within.isOver) return messages
    throw error
  } finally {
    within.end()
  }
}

async function nextOf({ socket, url }: Talk, { signal }: Within): Promise<unknown> {
  const message = await socket.next(signal)
  if (message !== null) return received(message)
  throw new Failure('network_error', { url, reason: 'it closed the connection' })
}

const holds = ({ ctx, vars }: Talk, condition: string, item: unknown): boolean =>
  Boolean(ctx.evaluate(condition, { item, vars }))

function encoded(value: unknown): string | Uint8Array {
  if (typeof value === 'string') return value
  const bytes = typeof value === 'object' && value !== null && 'base64' in value ? value.base64 : undefined
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : JSON.stringify(value)
}

function expressionProblem(text: string): string | null {
  try {
    parseExpression(text)
    return null
  } catch (error) {
    if (Failure.is(error, 'expression_error')) return error.message
    throw error
  }
}
