import type { RequestRecord, RunRecord } from '../ports/state.ts'

/** HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/) of what runs asked, for the tools that read it. */
export interface Har {
  log: {
    version: '1.2'
    creator: { name: string; version: string }
    pages: object[]
    entries: object[]
  }
}

/**
 * Each run is a page, each of its requests an entry. Headers, cookies and bodies are never kept, so they are empty;
 * sizes that are not known are -1, as the format says.
 */
export const harOf = (runs: readonly RunRecord[], version: string): Har =>
  harLog(version, {
    pages: runs.map(run => ({
      startedDateTime: new Date(run.started_at).toISOString(),
      id: run.run_id,
      title: run.operation,
      pageTimings: { onContentLoad: -1, onLoad: run.duration_ms ?? -1 },
    })),
    entries: runs.flatMap(run => run.requests.map(request => entryOf(request, run.run_id))),
  })

/** The archive around pages and entries. */
export const harLog = (version: string, content: { pages: object[]; entries: object[] }): Har => ({
  log: { version: '1.2', creator: { name: 'unicli', version }, ...content },
})

const entryOf = (request: RequestRecord, pageref: string): object => ({
  pageref,
  startedDateTime: new Date(request.started_at).toISOString(),
  time: request.duration_ms,
  request: {
    method: request.method,
    url: request.url,
    httpVersion: 'unknown',
    cookies: [],
    headers: [],
    queryString: queryOf(request.url),
    headersSize: -1,
    bodySize: request.request_bytes,
  },
  response: {
    status: request.status ?? 0,
    statusText: request.code ?? '',
    httpVersion: 'unknown',
    cookies: [],
    headers: [],
    content: {
      size: request.response_bytes ?? -1,
      mimeType: request.media_type ?? 'x-unknown',
    },
    redirectURL: '',
    headersSize: -1,
    bodySize: request.response_bytes ?? -1,
  },
  cache: {},
  timings: { send: -1, wait: request.duration_ms, receive: -1 },
})

/** The fields of an address, as an archive lists them. */
export const queryOf = (url: string): { name: string; value: string }[] =>
  URL.canParse(url) ? [...new URL(url).searchParams].map(([name, value]) => ({ name, value })) : []
