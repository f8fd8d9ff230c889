import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { RequestKind } from '../../shared/traffic.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { Exchange, TrafficQuery } from '../ports/traffic.ts'
import { detailOf, PARTS, requestLine } from './traffic-texts.ts'

const MB = 1024 * 1024

/** Which requests are meant; the same in every operation on them. */
const filters = {
  url: z.string().min(1).optional().describe('part of the address, glob with *, or /regular expression/'),
  method: z.string().optional(),
  status: z.string().optional().describe('404, 4xx or >=400'),
  kind: z.union([RequestKind, z.array(RequestKind).min(1)]).optional(),
  mime: z.string().optional().describe('part of the media type'),
  failed: z.boolean().default(false).describe('only failed ones and those answered with 400 or more'),
  assets: z.boolean().default(false).describe('also images, fonts, styles, scripts and media'),
}
const Filters = z.strictObject(filters)

/** Whoever asks for a kind that is an asset wants to see assets. */
function queryOf(given: z.output<typeof Filters>, since: number | undefined): TrafficQuery {
  const { kind, assets, ...rest } = given
  const kinds = kind === undefined ? undefined : [kind].flat()
  return { ...rest, kinds, assets: assets || kinds !== undefined, since }
}

export const networkStart = defineStep({
  name: 'network_start',
  command: 'start',
  doc: 'Keep bodies and socket frames of the session too; without it only addresses, headers and timing are kept.',
  needs: ['browser'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({
    source: z
      .enum(['auto', 'debugger', 'page'])
      .default('auto')
      .describe('debugger: everything, the browser shows a banner; page: fetch, XHR and sockets, no banner'),
    max_body_mb: z.number().min(0.001).max(40).default(32).describe('larger bodies are left out'),
  }),
  example: { source: 'auto' },
  run: async (ctx, { source, max_body_mb }) => {
    const asked = { source, max_body: Math.round(max_body_mb * MB) }
    const { reason, ...started } = await ctx.browser.call('network.start', asked, ctx)
    return reason === null
      ? started
      : {
          ...started,
          reason: `The debugger cannot be used in ${reason}; what is open is captured once it is loaded again.`,
        }
  },
})

export const networkStop = defineStep({
  name: 'network_stop',
  command: 'stop',
  doc: 'Keep no more bodies and socket frames; what was kept so far stays.',
  needs: ['browser'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({}),
  example: {},
  run: async ctx => ctx.browser.call('network.stop', {}, ctx),
})

export const networkList = defineStep({
  name: 'network_list',
  command: 'list',
  doc: "List the requests of the session's tabs from their first one on, a line each, the newest last.",
  needs: ['browser', 'traffic'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({
    ...filters,
    since: z.number().int().min(0).optional().describe('cursor of an earlier list: only later ones'),
    limit: z.number().int().min(1).max(5000).default(50),
    rows: z.boolean().default(false).describe('fields in place of lines'),
  }),
  example: { url: '/api/', failed: true },
  run: async (ctx, { since, limit, rows, ...given }) => {
    const page = ctx.traffic.find(queryOf(given, since))
    const shown = page.found.slice(-limit)
    ctx.traffic.seen = page.cursor
    const earlier = page.found.length - shown.length
    return {
      requests: rows ? shown.map(rowOf) : shown.map(requestLine),
      cursor: page.cursor,
      ...(earlier === 0 ? {} : { earlier }),
      ...(page.hidden === 0 ? {} : { assets_hidden: page.hidden }),
      ...(page.dropped === 0 ? {} : { dropped: page.dropped }),
      ...(page.lost_before === null ? {} : { note: lostText(page.lost_before) }),
    }
  },
})

const lostText = (at: number): string =>
  `unicli was started anew: what was asked before ${new Date(at).toISOString()} is not kept. Load the page again to have it.`

const rowOf = ({ id, method, url, kind, status, mime, bytes, error, started_at, ended_at }: Exchange) => ({
  ...{ id, method, status, kind, url, mime, bytes, error, started_at },
  duration_ms: ended_at === null ? null : Math.round(ended_at - started_at),
})

const Id = z
  .string()
  .regex(/^r\d+$/, 'such as r12')
  .describe('as the list tells it')

export const networkGet = defineStep({
  name: 'network_get',
  command: 'get',
  doc: 'Give one request whole or in parts: headers and bodies of request and response, frames, timing, redirects.',
  needs: ['browser', 'traffic'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({
    id: Id,
    parts: z
      .array(z.enum(PARTS))
      .min(1)
      .default([...PARTS]),
    max_chars: z
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .default(4000)
      .describe('of each body; the rest is a blob'),
  }),
  example: { id: 'r12', parts: ['response-body'] },
  run: async (ctx, { id, parts, max_chars }) => {
    const exchange = ctx.traffic.get(id)
    if (exchange === null) throw notThere(id)
    await ctx.traffic.kept([exchange], ctx.signal)
    return detailOf(ctx.traffic, exchange, { parts, maxChars: max_chars })
  },
})

export const networkWait = defineStep({
  name: 'network_wait',
  command: 'wait',
  doc: 'Wait until a request that fits has ended; one that ended since the last list or wait counts too.',
  needs: ['browser', 'traffic'],
  effect: 'read',
  site: 'network',
  schema: z.strictObject({
    ...filters,
    since: z.number().int().min(0).optional().describe('cursor; default: of the last list or wait'),
    timeout_ms: z.number().int().min(1).max(600_000).default(15_000),
  }),
  example: { url: '/api/save', method: 'POST' },
  run: async (ctx, { since, timeout_ms, ...given }) => {
    const from = since ?? ctx.traffic.seen
    const found = await waitFor(ctx, queryOf({ ...given, assets: true }, from), timeout_ms)
    ctx.traffic.seen = found.number
    return { request: requestLine(found), id: found.id, status: found.status, cursor: found.number }
  },
})

async function waitFor(ctx: StepContext<'traffic'>, query: TrafficQuery, ms: number): Promise<Exchange> {
  const limit = AbortSignal.timeout(ms)
  try {
    return await ctx.traffic.next(query, AbortSignal.any([limit, ctx.signal]))
  } catch (error) {
    if (!limit.aborted || ctx.signal.aborted) throw error
    const seen = ctx.traffic.find({ since: query.since }).found.slice(-10).map(requestLine)
    throw new Failure('capture_missed', { pattern: query.url ?? 'what was asked for', seen })
  }
}

export const networkExport = defineStep({
  name: 'network_export',
  command: 'export',
  doc: 'Write requests as HTTP Archive, curl commands or JavaScript; secrets in them are replaced.',
  needs: ['browser', 'traffic', 'files'],
  effect: 'write',
  site: 'network',
  schema: z.strictObject({
    format: z.enum(['har', 'curl', 'fetch']).default('har'),
    id: z
      .union([Id, z.array(Id).min(1)])
      .optional()
      .describe('default: all that fit'),
    path: z.string().min(1).optional().describe('file to write; default for har: requests.har'),
    ...filters,
    assets: z.boolean().default(true),
  }),
  example: { format: 'har', path: 'capture.har' },
  run: async (ctx, { format, id, path, ...given }) => {
    const exchanges =
      id === undefined ? ctx.traffic.find(queryOf(given, undefined)).found : chosen(ctx, [id].flat())
    await ctx.traffic.kept(exchanges, ctx.signal)
    const text = ctx.traffic.export(exchanges, format)
    const count = exchanges.length
    const file = path ?? (format === 'har' ? 'requests.har' : null)
    if (file === null) return { code: text, requests: count }
    return { ...(await ctx.files.write(file, Buffer.from(text), 'replace')), requests: count }
  },
})

function chosen(ctx: StepContext<'traffic'>, ids: readonly string[]): Exchange[] {
  return ids.map(id => {
    const exchange = ctx.traffic.get(id)
    if (exchange === null) throw notThere(id)
    return exchange
  })
}

const notThere = (id: string): Failure =>
  new Failure('not_found', {
    what: `The request ${id}`,
    hint: 'Run network.list for those that are kept; the oldest are dropped when there are too many.',
  })
