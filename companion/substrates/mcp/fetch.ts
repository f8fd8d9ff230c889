import { Readable } from 'node:stream'
import { isBodilessStatus } from '../../../shared/http.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { HttpPort } from '../../ports/http.ts'

/** The form of fetch that the SDK asks for. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Already undone, or no longer true, when the body comes decoded. */
const TRANSPORT_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding']

/** A run's own client as the fetch of a library, so that every hop is judged and paced as any other request. */
export const fetchOver =
  (http: HttpPort, { signal, deadline }: CallOptions): Fetch =>
  async (url, init = {}) => {
    const aborts = init.signal ? AbortSignal.any([signal, init.signal]) : signal
    const { status, headers, body } = await http.stream(
      {
        url: String(url),
        method: init.method ?? 'GET',
        headers: Object.fromEntries(new Headers(init.headers)),
        body: typeof init.body === 'string' ? init.body : null,
        // Whether a call changes something is judged by the call, not by the request that carries it.
        read: true,
      },
      { signal: aborts, deadline },
    )
    const shown = Object.entries(headers).filter(([name]) => !TRANSPORT_HEADERS.includes(name))
    const content = isBodilessStatus(status) ? null : (Readable.toWeb(Readable.from(body)) as ReadableStream)
    return new Response(content, { status, headers: Object.fromEntries(shown) })
  }
