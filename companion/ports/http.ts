import type { Strategy } from '../../shared/envelope.ts'
import type { AccessCheck } from './access.ts'
import type { BrowserSession, CallOptions } from './browser.ts'
import type { SocketPort } from './sockets.ts'

export interface HttpRequest {
  url: string
  method: string
  headers: Record<string, string>
  /** Text goes as UTF-8, bytes as they are. */
  body: string | Uint8Array | null
  /** A request that changes nothing at the site, whatever its method: it may be asked again. */
  read: boolean
  /** Of a read: an answer younger than this is given again unasked; an older one only when the site says that it
   *  has not changed. */
  cache?: { ttl_s: number } | undefined
}

export interface HttpAnswer {
  status: number
  /** After redirects. */
  url: string
  /** Names in lower case. */
  headers: Record<string, string>
}

export interface HttpResponse extends HttpAnswer {
  /** Decoded by the charset that the answer declares. */
  text: string
  bytes: Uint8Array
}

export interface HttpStream extends HttpAnswer {
  /** As it comes, of any size; leaving the loop ends the request. Fails as the request does. */
  body: AsyncIterable<Uint8Array>
}

/**
 * A status is an answer, not a failure. Fails with network_error, deadline_exceeded, cancelled, response_too_large,
 * origin_not_allowed, and as AccessCheck does; over a browser also as BrowserSession.call does. Of a write,
 * network_error says that it never left; one whose answer was lost is outcome_unknown.
 */
export interface HttpPort extends SocketPort {
  request(request: HttpRequest, options: CallOptions): Promise<HttpResponse>
  /** Neither cached nor limited in size. */
  stream(request: HttpRequest, options: CallOptions): Promise<HttpStream>
}

/** Where an adapter says that the site keeps its token; everything not said is searched for. */
export interface CsrfHint {
  /** A cookie whose value is the token. */
  cookie?: string | undefined
  /** An address, relative to base, whose JSON answer holds the token at `select`. */
  endpoint?: string | undefined
  select?: string | undefined
  /** The page whose meta tag holds it, relative to base; base itself by default. */
  page?: string | undefined
  /** The local or session storage key that holds a bearer, and the dot path in its JSON value. */
  storage?: string | undefined
  storage_select?: string | undefined
  /** How it is sent: a header (default X-CSRF-Token or Authorization) or a form or query field. */
  header?: string | undefined
  field?: string | undefined
}

/** Throws origin_not_allowed when the run may not reach that address; wss: and ws: count as https: and http:. */
export type OriginCheck = (url: string) => void

/** What a strategy's client needs to know of the site. */
export interface SiteContext {
  site: string
  base: string
  csrf: CsrfHint
  /** Service whose token strategy header sends in place of cookies. */
  service?: string | undefined
  /** Opens the run's browser session on first use. Fails as BrowserPort.open does. */
  browser: () => BrowserSession
  /** Whether a browser is linked at all, so that a cookie file can stand in for one. */
  browserLinked: () => boolean
  /** Every hop of a redirect is held against both. */
  checkOrigin: OriginCheck
  /** Where private addresses may be meant: the base that the person set, and what the adapter declares. */
  origins: { own: string | null; declared: ReadonlySet<string> }
  access: AccessCheck
}

/** Makes the client of a strategy: plain, with cookies, or with cookies and the site's token. */
export interface HttpFactory {
  open(strategy: Strategy, site: SiteContext): HttpPort
}
