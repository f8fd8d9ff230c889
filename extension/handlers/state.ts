import { Failure } from '../../shared/failures.ts'
import type { STATE_WIRE } from '../../shared/state-wire.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { move } from '../worker/moves.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import { parseAddress } from '../worker/tab-address.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { changeCookies } from './cookies.ts'
import { searchVisits } from './visits.ts'

type StateMethod = keyof typeof STATE_WIRE

/** The state of the page and of the person. */
export const stateHandlers = (parts: WorkerParts): Pick<WireHandlers, StateMethod> => ({
  ...changeCookies(),
  'page.move': (params, { signal }) => move(parts, params, signal),
  'page.metrics': ({ session }, call) => ask(parts, session, 'metrics', {}, call),
  'page.storage_write': ({ session, ...params }, call) => ask(parts, session, 'storage_write', params, call),
  'page.indexeddb': ({ session, ...params }, call) => ask(parts, session, 'indexeddb', params, call),
  'page.emulate': async ({ session, set, reset }) => {
    const tab = await parts.sessions.tabOf(session)
    if (reset) await parts.emulations.reset(tab)
    if (Object.keys(set).length > 0) await parts.emulations.set(tab, set)
    return { active: await parts.emulations.active(tab) }
  },
  'page.uses': ({ session }, call) => ask(parts, session, 'uses', { wanted: {} }, call),
  'page.uses_write': async ({ session, set }, call) => {
    const url = (await parts.scripts.urlOf(await parts.sessions.tabOf(session))) ?? ''
    await parts.contentSettings.set(parseAddress(session).session, new URL(url).origin, set)
    return await ask(parts, session, 'uses', { wanted: set }, call)
  },
  'visits.search': searchVisits,
})

async function ask<M extends 'metrics' | 'uses' | 'storage_write' | 'indexeddb'>(
  { sessions, documents }: WorkerParts,
  session: string,
  method: M,
  params: PageMethods[M]['params'],
  call: { signal: AbortSignal; deadline: number },
): Promise<PageMethods[M]['result']> {
  const tab = await sessions.tabOf(session)
  const answer = await documents.ask({ session, place: { tab, frame: 0 }, method, params, ...call })
  if (answer === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  return answer.value
}
