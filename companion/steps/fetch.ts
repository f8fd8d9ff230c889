import { parseFeed } from 'feedsmith'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import type { HttpResponse } from '../ports/http.ts'
import { addressOf } from './addresses.ts'
import { failOnStatus, jsonOf, notWanted, textOf } from './answers.ts'

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Request = {
  url: z.string().min(1).describe('absolute, or relative to base'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  query: z.record(z.string(), scalar).optional().describe('added to the address; null leaves one out'),
  headers: z.record(z.string(), z.string()).default({}),
  json: z.unknown().optional().describe('body, sent as JSON'),
  form: z.record(z.string(), scalar).optional().describe('body, sent as a form'),
  body: z.string().optional().describe('body, sent as it is'),
  effect: z.enum(['read']).optional().describe('says that this request changes nothing, whatever its method'),
}
const FetchParams = z.strictObject(Request)
type Params = z.output<typeof FetchParams>
const shorthand = z.string().transform((url): Params => ({ url, method: 'GET', headers: {} }))
const Fetch = z.union([shorthand, FetchParams])

export const fetchJson = defineStep({
  name: 'fetch',
  doc: 'Request an address as the strategy says (plain, with cookies, with the token) and parse the JSON answer.',
  needs: ['http'],
  effect: 'inherits',
  schema: Fetch,
  example: { url: '/search.json', query: { q: '${{ args.query }}' } },
  run: async (ctx, params) => {
    const response = await request(ctx, params)
    return jsonOf(response, isRead(params) && params.method !== 'HEAD')
  },
})

export const fetchText = defineStep({
  name: 'fetch_text',
  doc: 'Request an address as the strategy says and give the answer as text.',
  needs: ['http'],
  effect: 'inherits',
  schema: Fetch,
  example: { url: 'https://example.com/feed.xml' },
  run: async (ctx, params) => textOf(await request(ctx, params)),
})

export const parseRss = defineStep({
  name: 'parse_rss',
  doc: 'Turn the text of an RSS, Atom, RDF or JSON feed into rows of title, link, published, description and author.',
  needs: [],
  effect: 'pure',
  schema: z.strictObject({}),
  example: {},
  run: async ({ data, scope }) => {
    const text = String(data ?? '')
    try {
      const { feed } = parseFeed(text)
      const entries = 'items' in feed ? feed.items : 'entries' in feed ? feed.entries : []
      return (entries ?? []).map(entry => feedRow(entry as Record<string, unknown>))
    } catch (cause) {
      const other = notWanted(text, scope.base === '' ? 'The feed' : scope.base)
      if (other !== null) throw other
      throw new Failure(
        'parse_failed',
        { what: 'The feed', reason: cause instanceof Error ? cause.message : 'not a feed' },
        { cause },
      )
    }
  },
})

/** RSS, Atom, RDF and JSON Feed name the same five things in different words. */
function feedRow(entry: Record<string, unknown>) {
  const link = entry.link ?? entry.url ?? firstOf(entry.links, 'href')
  return {
    title: plain(entry.title),
    link: typeof link === 'string' ? link : null,
    published: plain(entry.pubDate ?? entry.published ?? entry.updated ?? entry.date_published),
    description: plain(entry.description ?? entry.summary ?? entry.content),
    author: plain(firstOf(entry.authors, 'name') ?? firstOf(dublinCore(entry), null)),
  }
}
const dublinCore = (entry: Record<string, unknown>): unknown =>
  typeof entry.dc === 'object' && entry.dc !== null ? (entry.dc as Record<string, unknown>).creators : null
const firstOf = (list: unknown, key: string | null): unknown => {
  const first: unknown = Array.isArray(list) ? list[0] : list
  if (key === null || typeof first !== 'object' || first === null) return first
  return (first as Record<string, unknown>)[key]
}
const plain = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  const inner = typeof value === 'object' && value !== null ? (value as Record<string, unknown>).value : null
  return typeof inner === 'string' ? inner : null
}

const isRead = ({ effect, method }: Params): boolean =>
  effect === 'read' || method === 'GET' || method === 'HEAD'

async function request(ctx: StepContext<'http'>, params: Params): Promise<HttpResponse> {
  const url = addressOf(params, ctx.scope.base)
  const { body, type } = bodyOf(params)
  const headers = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    ...(type === null ? {} : { 'content-type': type }),
  }
  const read = isRead(params)
  const response = await ctx.http.request(
    { url, method: params.method, headers: { ...headers, ...lowerKeys(params.headers) }, body, read },
    { signal: ctx.signal, deadline: ctx.deadline },
  )
  failOnStatus(response)
  return response
}

function bodyOf(params: Params): { body: string | null; type: string | null } {
  if (params.json !== undefined) return { body: JSON.stringify(params.json), type: 'application/json' }
  if (params.form !== undefined) {
    const pairs = Object.entries(params.form).filter(([, value]) => value !== null)
    const text = new URLSearchParams(
      pairs.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString()
    return { body: text, type: 'application/x-www-form-urlencoded;charset=UTF-8' }
  }
  return { body: params.body ?? null, type: params.body === undefined ? null : 'text/plain;charset=UTF-8' }
}

const lowerKeys = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
