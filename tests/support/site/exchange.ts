import type { IncomingMessage } from 'node:http'
import type { Markup } from './markup.ts'

/** One request as the site received it. */
export interface RecordedRequest {
  /** Counts up from 1 in the order of arrival. */
  id: number
  method: string
  path: string
  query: URLSearchParams
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  cookies: Readonly<Record<string, string>>
  body: string
  /** Epoch milliseconds at which the request was complete. */
  receivedAt: number
  /** `aborted`: the client went away before it had the answer. */
  outcome: 'pending' | 'answered' | 'aborted'
  /** The status of the answer, once there is one. */
  status?: number
}

export interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

export type Handler = (request: RecordedRequest) => Answer

/** Handlers by `METHOD /path`. */
export type Routes = Readonly<Record<string, Handler>>

export function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  }
}

/** The JSON that every refusal of the API has: a code for programs and a sentence for people. */
export function refusal(
  status: number,
  error: string,
  message: string,
  headers: Answer['headers'] = {},
): Answer {
  return json({ error, message }, status, headers)
}

export function html(document: Markup, status = 200, headers: Answer['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: `<!doctype html>\n${document.text}`,
  }
}

export function asset(type: 'text/css' | 'text/javascript' | 'image/svg+xml', body: string): Answer {
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, body }
}

export function redirect(location: string, cookies: string[] = []): Answer {
  return { status: 303, headers: { location, 'set-cookie': cookies }, body: '' }
}

/** Reads a request to its end. @throws when it breaks off */
export async function readRequest(id: number, incoming: IncomingMessage): Promise<RecordedRequest> {
  const url = new URL(incoming.url ?? '/', 'http://site')
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return {
    id,
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    cookies: readCookies(incoming.headers.cookie ?? ''),
    body: Buffer.concat(chunks).toString(),
    receivedAt: Date.now(),
    outcome: 'pending',
  }
}

function readCookies(header: string): Record<string, string> {
  const pairs = header.split(';').map(pair => pair.trim().split('='))
  return Object.fromEntries(pairs.flatMap(([name, ...value]) => (name ? [[name, value.join('=')]] : [])))
}
