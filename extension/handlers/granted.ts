import { WIRE, type WireHandlers, type WireMethod } from '../../shared/wire.ts'
import { checkGranted } from '../worker/site-gate.ts'
import type { WorkerParts } from '../worker/worker.ts'

type Call = Parameters<WireHandlers['page.html']>[1]
type Handler = (params: Record<string, unknown>, call: Call) => Promise<unknown>

/**
 * The handlers, each behind the person's grant of the site that it touches. It is looked at before anything happens,
 * and once more before what was read is told, since the page may have gone elsewhere meanwhile.
 */
export const onGrantedSites = (handlers: WireHandlers, parts: WorkerParts): WireHandlers =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      // Both are of the row of this name, which entries do not show.
      guarded(name as WireMethod, handler as Handler, parts),
    ]),
  ) as unknown as WireHandlers

function guarded(method: WireMethod, handler: Handler, parts: WorkerParts): Handler {
  const { touches, effect } = WIRE[method]
  // What may have had an effect is never asked again: nobody is told to.
  const repeats = effect === 'read'
  if (touches === 'nothing') return handler
  return async (params, call) => {
    const session = typeof params.session === 'string' ? params.session : ''
    const { granted = [] } = call
    if (touches !== 'page') for (const url of addressesIn(params)) checkGranted(url, granted)
    if (touches !== 'address') await checkPage(parts, session, granted)
    if (typeof params.target === 'string') parts.highlights.aim(session, params.target)
    const leave = parts.gate.enter({ session, granted, repeats })
    try {
      const result = await handler(params, call)
      if (touches !== 'address' && repeats) await checkPage(parts, session, granted)
      return result
    } finally {
      leave()
    }
  }
}

const addressesIn = ({ url, origin }: Record<string, unknown>): string[] =>
  [url, origin].filter(each => typeof each === 'string')

/** Without a tab there is no page; whoever needs one says so. */
async function checkPage({ sessions, scripts }: WorkerParts, session: string, granted: readonly string[]) {
  const tab = await sessions.find(session)
  const url = tab === null ? null : await scripts.urlOf(tab)
  if (url !== null) checkGranted(url, granted)
}
