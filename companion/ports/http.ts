import type { CallOptions } from './browser.ts'

export interface HttpRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: string | null
}

export interface HttpResponse {
  status: number
  /** After redirects. */
  url: string
  /** Names in lower case. */
  headers: Record<string, string>
  /** Decoded by the charset that the answer declares. */
  text: string
}

/** A status is an answer, not a failure. Fails with network_error, deadline_exceeded, cancelled,
 *  response_too_large, origin_not_allowed; over a browser also as BrowserSession.call does. */
export interface HttpPort {
  request(request: HttpRequest, options: CallOptions): Promise<HttpResponse>
}
