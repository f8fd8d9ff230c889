import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { StepContext } from '../kernel/step.ts'
import type { HttpRequest } from '../ports/http.ts'
import { addressOf } from './addresses.ts'

export const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const Part = z.union([
  Scalar,
  z.strictObject({
    text: z.string().optional(),
    base64: z.base64().optional().describe('bytes'),
    filename: z.string().optional(),
    type: z.string().optional().describe('media type'),
  }),
])
type Part = z.output<typeof Part>

/** Filled by the step itself, once for each request that it makes: `item` is another one each time. */
const own = { rendered: false }
const EFFECT = 'says that this request changes nothing, whatever its method'

/** Options of every step that makes an HTTP request. */
export const requestFields = {
  url: z.string().min(1).meta(own).describe('absolute, or relative to base'),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  query: z
    .record(z.string(), Scalar)
    .optional()
    .meta(own)
    .describe('added to the address; null leaves one out'),
  headers: z.record(z.string(), z.string()).default({}).meta(own),
  json: z.unknown().optional().meta(own).describe('body, sent as JSON'),
  form: z.record(z.string(), Scalar).optional().meta(own).describe('body, sent as a form'),
  multipart: z
    .record(z.string(), z.union([Part, z.array(Part)]))
    .optional()
    .meta(own)
    .describe('body, sent as multipart/form-data; a part is a value, or {text or base64, filename, type}'),
  body: z.string().optional().meta(own).describe('body, sent as it is'),
  body_base64: z.base64().optional().meta(own).describe('body of bytes'),
  effect: z.enum(['read']).optional().describe(EFFECT),
}
const Request = z.strictObject(requestFields)
export type RequestOptions = z.output<typeof Request>

const NAMES = Object.keys(requestFields)
type Rendering = Pick<StepContext<never>, 'render'>

/** The request's options with their templates filled; `item` and `index` name one of a list. */
export function filled(
  options: Record<string, unknown> & RequestOptions,
  ctx: Rendering,
  extra?: { item: unknown; index: number },
): RequestOptions {
  const named = Object.fromEntries(Object.entries(options).filter(([name]) => NAMES.includes(name)))
  const parsed = Request.safeParse(ctx.render(named, extra))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw misused(`${issue?.message ?? 'it does not fit'} in "${issue?.path.join('.') ?? ''}"`)
}

/** The adapter asks for what makes no sense. */
export const misused = (reason: string): Failure =>
  new Failure('adapter_invalid', { file: 'a request', line: null, reason })

export const isRead = ({ effect, method }: Pick<RequestOptions, 'effect' | 'method'>): boolean =>
  effect === 'read' || method === 'GET' || method === 'HEAD'

const ACCEPT = 'application/json, text/*;q=0.9, */*;q=0.5'

/** What goes to the client. */
export async function requestOf(options: RequestOptions, base: string): Promise<HttpRequest> {
  const { body, type } = await bodyOf(options)
  return {
    url: addressOf(options, base),
    method: options.method,
    headers: {
      accept: ACCEPT,
      ...(type === null ? {} : { 'content-type': type }),
      ...lowerKeys(options.headers),
    },
    body,
    read: isRead(options),
  }
}

interface Body {
  body: HttpRequest['body']
  type: string | null
}

async function bodyOf(options: RequestOptions): Promise<Body> {
  const kinds = (['json', 'form', 'multipart', 'body', 'body_base64'] as const).filter(
    kind => options[kind] !== undefined,
  )
  if (kinds.length > 1) throw misused(`a request has one body; here are ${kinds.join(' and ')}`)
  const { json, form, multipart, body, body_base64: bytes } = options
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' }
  if (form !== undefined)
    return { body: formText(form), type: 'application/x-www-form-urlencoded;charset=UTF-8' }
  if (multipart !== undefined) return multipartBody(multipart)
  if (bytes !== undefined) return { body: Buffer.from(bytes, 'base64'), type: 'application/octet-stream' }
  return { body: body ?? null, type: body === undefined ? null : 'text/plain;charset=UTF-8' }
}

const formText = (form: NonNullable<RequestOptions['form']>): string =>
  new URLSearchParams(
    Object.entries(form)
      .filter(([, value]) => value !== null)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

/** Node writes the format; a Response tells the boundary that it chose. */
async function multipartBody(parts: NonNullable<RequestOptions['multipart']>): Promise<Body> {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    for (const part of Array.isArray(value) ? value : [value]) append(form, name, part)
  const made = new Response(form)
  return { body: new Uint8Array(await made.arrayBuffer()), type: made.headers.get('content-type') }
}

function append(form: FormData, name: string, part: Part): void {
  if (part === null) return
  if (typeof part !== 'object') {
    form.append(name, String(part))
    return
  }
  const { text, base64, filename, type } = part
  if ((text === undefined) === (base64 === undefined))
    throw misused(`the part "${name}" needs either text or base64`)
  const content = text ?? Buffer.from(base64 ?? '', 'base64')
  // Only a Blob carries a name and a type.
  if (filename === undefined && type === undefined && text !== undefined) form.append(name, text)
  else form.append(name, new Blob([content], type === undefined ? {} : { type }), filename ?? name)
}

const lowerKeys = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
