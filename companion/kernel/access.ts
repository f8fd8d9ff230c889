import { Failure } from '../../shared/failures.ts'
import { WIRE } from '../../shared/wire.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { HttpPort, OriginCheck } from '../ports/http.ts'
import type { Run } from './run-state.ts'

/** For browser operations: there the caller names addresses itself. */
export const anyOrigin: OriginCheck = () => undefined

/** The one judge of which addresses an adapter may reach. */
export const onlyOrigins =
  (origins: ReadonlySet<string>): OriginCheck =>
  url => {
    const { origin } = new URL(url)
    if (!origins.has(origin)) throw new Failure('origin_not_allowed', { origin, allowed: [...origins] })
  }

/** A client that reaches allowed origins only and notes when something that may change the site leaves. */
export const guardedHttp = (http: HttpPort, run: Run, checkOrigin: OriginCheck): HttpPort => ({
  async request(request, options) {
    checkOrigin(request.url)
    if (!request.read) run.writeSent = true
    const response = await http.request(request, options)
    checkOrigin(response.url)
    return response
  },
})

/** The same for a session. Which of its calls change a site, the wire table says. */
export const guardedSession = (
  session: BrowserSession,
  run: Run,
  checkOrigin: OriginCheck,
): BrowserSession => ({
  profile: session.profile,
  session: session.session,
  call(method, params, options) {
    if ('url' in params && typeof params.url === 'string') checkOrigin(params.url)
    if (WIRE[method].acts) run.writeSent = true
    return session.call(method, params, options)
  },
  onCapture: listener => session.onCapture(listener),
})
