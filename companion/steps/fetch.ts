import { z } from 'zod'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { HttpRequest, HttpResponse } from '../ports/http.ts'
import { failOnStatus, jsonOf, textOf } from './answers.ts'
import { Retry, withRetry } from './attempts.ts'
import { filled, isRead, misused, type RequestOptions, requestFields, requestOf } from './http-request.ts'
import { inLanes } from './lanes.ts'
import { allPages, type Page, Pagination } from './pagination.ts'

/** What a fetch makes of an answer. */
const FORMS = ['json', 'text', 'base64', 'response'] as const
type Form = (typeof FORMS)[number]

const FetchForm = z.strictObject({
  ...requestFields,
  as: z
    .enum(FORMS)
    .optional()
    .describe('response: {status, url, headers, data}; base64: bytes; default: what the step is for'),
  accept_status: z
    .array(z.number().int().min(400).max(599))
    .default([])
    .describe('statuses that are answers too, not failures'),
  retry: Retry.optional().describe('of a read: how often it is asked, or {attempts, backoff_ms}'),
  paginate: Pagination.optional().describe('of a read: the items of all pages as one list'),
  for_each: z
    .array(z.unknown())
    .optional()
    .describe('a list: the request is made for each as item, the answers keep the order'),
  concurrency: z.number().int().min(1).max(16).default(4).describe('how many of for_each at once'),
  cache: z
    .number()
    .int()
    .min(0)
    .max(31 * 86_400)
    .optional()
    .describe(
      'of a read: seconds for which the answer is given again unasked; then only if it has not changed',
    ),
})
type Params = z.output<typeof FetchForm>
const shorthand = z.string().transform((url): Params => FetchForm.parse({ url }))
const Fetch = z.union([shorthand, FetchForm]).meta({ rendered: false })

export const fetchJson = defineStep({
  name: 'fetch',
  doc: 'Request an address as the strategy says (plain, with cookies, with the token) and parse the JSON answer.',
  needs: ['http'],
  effect: 'inherits',
  schema: Fetch,
  example: { url: '/search.json', query: { q: '${{ args.query }}' }, retry: 3 },
  run: (ctx, params) => fetched(ctx, params, params.as ?? 'json'),
})

export const fetchText = defineStep({
  name: 'fetch_text',
  doc: 'Request an address as the strategy says and give the answer as text.',
  needs: ['http'],
  effect: 'inherits',
  schema: Fetch,
  example: { url: 'https://example.com/feed.xml', cache: 300 },
  run: (ctx, params) => fetched(ctx, params, params.as ?? 'text'),
})

function fetched(ctx: StepContext<'http'>, params: Params, form: Form): Promise<unknown> {
  if (!isRead(params))
    for (const option of ['retry', 'paginate', 'cache'] as const)
      if (params[option] !== undefined)
        throw misused(`${option} is for reads; say effect: read if this ${params.method} changes nothing`)
  const list = params.for_each
  if (list === undefined) return one(ctx, params, form, filled(params, ctx))
  let done = 0
  return inLanes(list, params.concurrency, async (item, index) => {
    const answer = await one(ctx, params, form, filled(params, ctx, { item, index }))
    if (list.length > 10) ctx.progress(`${++done} of ${list.length}`)
    return answer
  })
}

async function one(
  ctx: StepContext<'http'>,
  params: Params,
  form: Form,
  options: RequestOptions,
): Promise<unknown> {
  const ask = (asked: RequestOptions): Promise<Page> =>
    withRetry(ctx, params.retry ?? { attempts: 1, backoff_ms: 0 }, () => page(ctx, params, form, asked))
  if (params.paginate !== undefined) return allPages(options, params.paginate, ask)
  return (await ask(options)).data
}

async function page(
  ctx: StepContext<'http'>,
  { cache, accept_status: accepted }: Params,
  form: Form,
  options: RequestOptions,
): Promise<Page> {
  const request = await requestOf(options, ctx.scope.base)
  const cached = cache === undefined ? {} : { cache: { ttl_s: cache } }
  const response = await ctx.http.request({ ...request, ...cached }, ctx)
  if (!accepted.includes(response.status)) failOnStatus(response)
  return { response, data: dataOf(response, form, request) }
}

function dataOf(response: HttpResponse, form: Form, { method, read }: HttpRequest): unknown {
  if (form === 'text') return textOf(response)
  if (form === 'base64') return Buffer.from(response.bytes).toString('base64')
  if (form === 'json') return jsonOf(response, read && method !== 'HEAD')
  const { status, url, headers } = response
  const { 'set-cookie': _, ...shown } = headers
  const isJson = /json/i.test(headers['content-type'] ?? '')
  return { status, url, headers: shown, data: isJson ? jsonOf(response, false) : response.text }
}
