import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { Envelope } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import { briefOf, describeOperation, hitOf } from '../../kernel/description.ts'
import type { Invocation, Kernel } from '../../kernel/operation.ts'
import { RunOptionsSchema } from '../../kernel/run-options.ts'
import { written } from '../../kernel/written.ts'
import { envelopeStatus, json } from './answer.ts'
import { openEventStream, type StreamFormat, streamFormat } from './event-stream.ts'
import type { OpenEnds } from './open-ends.ts'
import { readBody, readQuery } from './request.ts'

/** Of a search; a list without a query is whole unless a limit is asked for. */
const DEFAULT_HITS = 20

export const ListQuery = z.strictObject({
  query: z.string().max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(10_000).optional(),
})

export const CallBody = z.strictObject({
  args: z.record(z.string(), z.unknown()).default({}),
  options: RunOptionsSchema.default({}),
})
type CallBody = z.infer<typeof CallBody>

const PLACE = '/v1/operations/:site{[a-z0-9_-]{1,64}}/:command{[a-z0-9_-]{1,64}}'

/** Search, describe and call. */
export function addCallRoutes(app: Hono, kernel: Kernel, ends: OpenEnds): void {
  app.get('/v1/operations', c => {
    const { query, limit } = readQuery(c, ListQuery)
    const all = kernel.catalogue.list()
    const operations =
      query === undefined || query.trim() === ''
        ? all.slice(0, limit ?? all.length).map(briefOf)
        : kernel.catalogue.search(query, limit ?? DEFAULT_HITS).map(hit => hitOf(hit.operation))
    return json({ operations, total: all.length })
  })

  app.get(PLACE, c => {
    const name = operationOf(c)
    const operation = kernel.catalogue.get(name)
    if (operation === null)
      throw new Failure('unknown_operation', { name, nearest: kernel.catalogue.nearest(name) })
    return json(describeOperation(operation))
  })

  app.post(PLACE, async c => {
    const body = await readBody(c, CallBody)
    const format = streamFormat(c.req.header('accept'))
    return format === null ? answer(c, kernel, ends, body) : stream(c, kernel, ends, body, format)
  })
}

async function answer(c: Context, kernel: Kernel, ends: OpenEnds, body: CallBody): Promise<Response> {
  const { signal, release } = ends.call(c.req.raw.signal)
  try {
    const envelope = await kernel.run(invocation(c, body, signal))
    return json(written(envelope), envelopeStatus(envelope))
  } finally {
    release()
  }
}

/** Events may be left out for a reader who does not keep up; the envelope never is. */
function stream(c: Context, kernel: Kernel, ends: OpenEnds, body: CallBody, format: StreamFormat): Response {
  const { signal, release, abort } = ends.call(c.req.raw.signal)
  const events = openEventStream(format, abort)
  const finish = (envelope: Envelope) => {
    release()
    events.send('envelope', written(envelope), { force: true })
    events.end()
  }
  const run = kernel.run({
    ...invocation(c, body, signal),
    onEvent: event => events.send(event.type, event),
  })
  void run.then(finish)
  return events.response
}

const invocation = (c: Context, body: CallBody, signal: AbortSignal): Invocation => ({
  operation: operationOf(c),
  args: body.args,
  options: body.options,
  surface: 'http',
  signal,
})

const operationOf = (c: Context): string => `${c.req.param('site')}.${c.req.param('command')}`
