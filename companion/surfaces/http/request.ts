import type { Context } from 'hono'
import type { z } from 'zod'
import { Failure } from '../../../shared/failures.ts'
import { bodyTooLarge, MAX_BODY } from './guard.ts'

/**
 * The body of a request as `schema` wants it; no body at all is `{}`.
 *
 * @throws bad_request
 */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  // A body that tells its length was weighed by the guard.
  const text =
    c.req.header('content-length') === undefined ? await readWeighed(c.req.raw) : await c.req.text()
  return check(text === '' ? {} : parse(text), schema, 'body')
}

/**
 * The query as `schema` wants it.
 *
 * @throws bad_request
 */
export const readQuery = <T>(c: Context, schema: z.ZodType<T>): T => check(c.req.query(), schema, 'query')

/** One that is sent in chunks is weighed while it comes. */
async function readWeighed(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > MAX_BODY) throw bodyTooLarge()
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure('bad_request', { reason: 'its body is not JSON' }, { cause })
  }
}

function check<T>(value: unknown, schema: z.ZodType<T>, place: string): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map(issue => {
    const at = [place, ...issue.path.map(String)].join('.')
    return `${at}: ${issue.message}`
  })
  throw new Failure('bad_request', { reason: problems.join('; ') })
}
