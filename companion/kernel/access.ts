import { Failure } from '../../shared/failures.ts'
import { WIRE } from '../../shared/wire.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { HttpPort } from '../ports/http.ts'
import type { Run } from './run-state.ts'

/** The origins that a run may reach; null where the caller names addresses itself (browser operations). */
export type Origins = ReadonlySet<string> | null

export function checkOrigin(url: string, origins: Origins): void {
  if (origins === null) return
  const origin = new URL(url).origin
  if (!origins.has(origin)) throw new Failure('origin_not_allowed', { origin, allowed: [...origins] })
}

/** A client that reaches declared origins only and notes when something that may change the site leaves. */
export const guardedHttp = (http: HttpPort, run: Run, origins: Origins): HttpPort => ({
  async request(request, options) {
    checkOrigin(request.url, origins)
    if (!request.read) run.writeSent = true
    const response = await http.request(request, options)
    checkOrigin(response.url, origins)
    return response
  },
})

/** The same for a session. Which of its calls change a site, the wire table says. */
export const guardedSession = (session: BrowserSession, run: Run, origins: Origins): BrowserSession => ({
  ...session,
  profile: session.profile,
  session: session.session,
  call(method, params, options) {
    if ('url' in params && typeof params.url === 'string') checkOrigin(params.url, origins)
    if (WIRE[method].acts) run.writeSent = true
    return session.call(method, params, options)
  },
  onCapture: listener => session.onCapture(listener),
})
