import type { WireHandlers, WireMethod } from '../../shared/wire.ts'
import { addressOf } from './tab-address.ts'

type Handler = (params: unknown, call: { signal: AbortSignal; deadline: number }) => Promise<unknown>

/** Handlers that get session and tab of a call as one address, so that none of them has to think of tabs. */
export function addressed(
  handlers: WireHandlers,
  during: (session: string, work: () => Promise<unknown>) => Promise<unknown>,
): WireHandlers {
  const wrapped = Object.entries(handlers).map(([method, handler]) => [
    method,
    // The handler of a method takes that method's params; TypeScript cannot pair them through the index.
    withAddress(handler as Handler, during),
  ])
  return Object.fromEntries(wrapped) as Record<WireMethod, Handler> as WireHandlers
}

const withAddress =
  (handler: Handler, during: (session: string, work: () => Promise<unknown>) => Promise<unknown>): Handler =>
  (params, call) => {
    const { session, tab, ...rest } = params as { session?: string; tab?: string }
    if (session === undefined) return handler(params, call)
    return during(session, () => handler({ ...rest, session: addressOf(session, tab) }, call))
  }
