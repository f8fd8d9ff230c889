import { createHash } from 'node:crypto'
import LinkHeader from 'http-link-header'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { HttpResponse } from '../ports/http.ts'
import { parseFailure } from './fields.ts'
import type { RequestOptions } from './http-request.ts'
import { isJsonPath, query, reach, walk } from './paths.ts'

export const Pagination = z.strictObject({
  by: z
    .enum(['page', 'offset', 'cursor', 'link'])
    .describe('a page number, an offset, a cursor from the answer, or the address of the next page'),
  param: z.string().min(1).optional().describe('field that carries it; default: the name of the way'),
  in: z.enum(['query', 'json', 'form']).default('query').describe('where that field goes'),
  start: z.number().int().optional().describe('first page (default 1) or offset (default 0)'),
  step: z.number().int().min(1).optional().describe('default: 1 page, or as many as the last answer had'),
  items: z.string().default('').describe('path of the list in an answer; empty when the answer is the list'),
  next: z.string().min(1).optional().describe('path of the cursor, or of the next address, in an answer'),
  max_pages: z.number().int().min(1).max(1000).default(10),
  max_items: z.number().int().min(1).max(100_000).optional(),
})
export type Pagination = z.output<typeof Pagination>

/** One answer: what came, and what its step makes of it. */
export interface Page {
  response: HttpResponse
  data: unknown
}

/**
 * The items of all pages, in order. Ends at an empty page, a page or a cursor that came before, no next one, or the
 * bounds. Fails with select_missed when the first answer has no list at `items`.
 */
export async function allPages(
  first: RequestOptions,
  how: Pagination,
  ask: (options: RequestOptions) => Promise<Page>,
): Promise<unknown[]> {
  const items: unknown[] = []
  const seen = new Set<string>()
  let options: RequestOptions | null = started(first, how)
  for (let count = 0; options !== null && count < how.max_pages; count++) {
    const page: Page = await ask(options)
    const found = itemsOf(page.data, how, count === 0)
    const mark = fingerprint(found)
    if (found.length === 0 || seen.has(mark)) break
    seen.add(mark)
    items.push(...found)
    if (how.max_items !== undefined && items.length >= how.max_items) return items.slice(0, how.max_items)
    options = following(options, first, how, { page, count, items: items.length, seen })
  }
  return items
}

const fingerprint = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64')

function itemsOf(data: unknown, { items }: Pagination, isFirst: boolean): unknown[] {
  const list = at(data, items)
  if (Array.isArray(list)) return list
  if (items === '' && typeof data === 'string') return data === '' ? [] : [data]
  // The last page of some sites has no list at all.
  if (!isFirst) return []
  if (list === undefined) walk(data, items)
  throw new Failure('parse_failed', {
    what: `The first page at "${items}"`,
    reason: 'a list is needed; say where it is with paginate.items',
  })
}

const at = (data: unknown, path: string): unknown =>
  isJsonPath(path) ? query(data, path) : reach(data, path)

const nameOf = ({ by, param }: Pagination): string => param ?? by

function started(options: RequestOptions, how: Pagination): RequestOptions {
  if (how.by === 'page') return withField(options, how, how.start ?? 1)
  return how.by === 'offset' ? withField(options, how, how.start ?? 0) : options
}

interface Progress {
  page: Page
  /** Pages before this one. */
  count: number
  /** So far, with this page's. */
  items: number
  seen: Set<string>
}

function following(
  options: RequestOptions,
  first: RequestOptions,
  how: Pagination,
  { page, count, items, seen }: Progress,
): RequestOptions | null {
  const { by, start, step } = how
  if (by === 'page') return withField(first, how, (start ?? 1) + (count + 1) * (step ?? 1))
  if (by === 'offset')
    return withField(first, how, (start ?? 0) + (step === undefined ? items : (count + 1) * step))
  const next = by === 'link' ? nextAddress(page, how) : cursorOf(page, how)
  if (next === null) return null
  const mark = `next ${next}`
  if (seen.has(mark)) return null
  seen.add(mark)
  if (by === 'cursor') return withField(first, how, next)
  // The address holds the whole question already.
  if (!URL.canParse(String(next), page.response.url))
    throw parseFailure('The next page', `"${String(next).slice(0, 100)}" is no address`)
  return { ...options, url: new URL(String(next), page.response.url).href, query: undefined }
}

function cursorOf({ data }: Page, { next = 'next' }: Pagination): string | number | null {
  const cursor = at(data, next)
  return (typeof cursor === 'string' && cursor !== '') || typeof cursor === 'number' ? cursor : null
}

function nextAddress({ response, data }: Page, { next }: Pagination): string | null {
  if (next !== undefined) {
    const address = at(data, next)
    return typeof address === 'string' && address !== '' ? address : null
  }
  const { link } = response.headers
  if (link === undefined) return null
  try {
    return LinkHeader.parse(link).rel('next')[0]?.uri ?? null
  } catch (cause) {
    throw parseFailure(`The Link header "${link.slice(0, 100)}"`, cause)
  }
}

function withField(options: RequestOptions, how: Pagination, value: string | number): RequestOptions {
  const name = nameOf(how)
  if (how.in === 'query') return { ...options, query: { ...options.query, [name]: value } }
  if (how.in === 'form') return { ...options, form: { ...options.form, [name]: value } }
  return { ...options, json: { ...(options.json as Record<string, unknown> | undefined), [name]: value } }
}
