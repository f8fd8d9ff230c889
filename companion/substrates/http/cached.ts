import { createHash } from 'node:crypto'
import type { HttpPort, HttpRequest, HttpResponse } from '../../ports/http.ts'
import type { CachedAnswer, HttpCachePort } from '../../ports/http-cache.ts'
import type { HttpClient } from './client.ts'
import { answerOf } from './plain.ts'

/** Larger answers are not worth their place. */
const MAX_BYTES = 4 * 1024 * 1024
/** What a later step may read of a cached answer; everything else may hold a secret. */
const KEPT_HEADERS = ['content-type', 'etag', 'last-modified', 'link', 'content-language']

/**
 * Answers of reads that asked for it. An answer is given again only to a request that is equal in method, address,
 * headers and body, of the same site by the same strategy as the same person: another login never sees it.
 */
export const cachedHttp = (client: HttpClient, cache: HttpCachePort, scope: string): HttpPort => ({
  stream: client.stream,
  socket: client.socket,
  async request(request, options) {
    if (request.cache === undefined || !request.read) return client.request(request, options)
    const key = keyOf(request, `${scope} ${await client.identity(request.url, options)}`)
    const known = cache.get(key)
    if (known !== null && Date.now() - known.at < request.cache.ttl_s * 1000) return again(known)
    const response = await client.request(known === null ? request : conditional(request, known), options)
    if (known !== null && response.status === 304) {
      cache.put(key, { ...known, at: Date.now() })
      return again(known)
    }
    if (mayKeep(response)) cache.put(key, kept(response))
    return response
  },
})

function keyOf({ method, url, headers, body }: HttpRequest, identity: string): string {
  const named = Object.entries(headers).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([method, url, named, identity, body === null]))
    .update(body ?? '')
    .digest('hex')
}

function conditional(request: HttpRequest, { headers: known }: CachedAnswer): HttpRequest {
  const { etag, 'last-modified': modified } = known
  return {
    ...request,
    headers: {
      ...request.headers,
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(modified === undefined ? {} : { 'if-modified-since': modified }),
    },
  }
}

const mayKeep = ({ status, headers, bytes }: HttpResponse): boolean =>
  status === 200 && bytes.length <= MAX_BYTES && !/no-store/i.test(headers['cache-control'] ?? '')

const kept = ({ status, url, headers, bytes }: HttpResponse): CachedAnswer => ({
  status,
  url,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT_HEADERS.includes(name))),
  body: bytes,
  at: Date.now(),
})

const again = ({ status, url, headers, body }: CachedAnswer): HttpResponse =>
  answerOf({ status, url, headers }, body)
