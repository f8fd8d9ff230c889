import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { failOnStatus } from './answers.ts'
import { filled, isRead, requestFields, requestOf } from './http-request.ts'
import { parsedOrText } from './messages.ts'
import { Expression } from './nested.ts'
import { Within } from './time-limit.ts'

const MB = 1024 * 1024
/** Of one event; more is no event but a fault. */
const MAX_EVENT = 4 * MB
const MAX_EVENTS = 10_000

const Sse = z.strictObject({
  ...requestFields,
  event: z.string().min(1).optional().describe('only events of this name'),
  count: z.number().int().min(1).max(MAX_EVENTS).optional().describe('end after so many'),
  until: Expression.optional().describe(
    'end after the event for which this holds; item is {event, id, data}',
  ),
  timeout_ms: z.number().int().min(1).max(600_000).default(10_000).describe('end then, with what has come'),
})

export const sse = defineStep({
  name: 'sse',
  doc: 'Listen to server-sent events until there are enough, one fits, the time is up or the stream ends.',
  needs: ['http'],
  effect: 'inherits',
  schema: Sse,
  example: { url: '/events', event: 'price', count: 3, until: 'item.data.final', timeout_ms: 5000 },
  run: async (ctx, params) => {
    const within = new Within(ctx.signal, params.timeout_ms)
    const events: unknown[] = []
    const isEnough = (event: unknown): boolean => {
      events.push(event)
      if (events.length >= (params.count ?? MAX_EVENTS)) return true
      return params.until !== undefined && Boolean(ctx.evaluate(params.until, { item: event }))
    }
    try {
      for await (const event of eventsOf(ctx, params, within))
        if ((params.event === undefined || event.event === params.event) && isEnough(event)) break
      return events
    } catch (error) {
      if (within.isOver) return events
      throw error
    } finally {
      within.end()
    }
  },
})

interface Event {
  event: string
  id: string | null
  data: unknown
}

async function* eventsOf(
  ctx: StepContext<'http'>,
  params: z.output<typeof Sse>,
  { signal }: Within,
): AsyncIterable<Event> {
  const request = await requestOf(filled(params, ctx), ctx.scope.base)
  const headers = { ...request.headers, accept: 'text/event-stream', 'cache-control': 'no-store' }
  const { body, ...answer } = await ctx.http.stream(
    { ...request, headers, read: isRead(params) },
    { signal, deadline: ctx.deadline },
  )
  failOnStatus({ ...answer, text: '', bytes: new Uint8Array() })
  const type = answer.headers['content-type'] ?? ''
  if (!/event-stream/i.test(type))
    throw new Failure('not_data', { url: answer.url, what: type === '' ? 'no type' : type, excerpt: '' })
  yield* parsed(body, answer.url)
}

async function* parsed(body: AsyncIterable<Uint8Array>, url: string): AsyncIterable<Event> {
  const ready: EventSourceMessage[] = []
  const faults: Failure[] = []
  const parser = createParser({
    onEvent: event => ready.push(event),
    onError: cause => {
      // Lines that nobody knows are passed over, as browsers do.
      if (cause.type === 'max-buffer-size-exceeded')
        faults.push(new Failure('response_too_large', { url, limit: MAX_EVENT }, { cause }))
    },
    maxBufferSize: MAX_EVENT,
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    for (const { event, id, data } of ready.splice(0))
      yield { event: event ?? 'message', id: id ?? null, data: parsedOrText(data) }
    const [fault] = faults
    if (fault !== undefined) throw fault
  }
}
