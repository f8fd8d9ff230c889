import type { WireHandlers, WireMethod } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'

export const sessionHandlers = ({
  sessions,
}: WorkerParts): Pick<WireHandlers, Extract<WireMethod, `session.${string}`>> => ({
  'session.tabs': ({ session }) => sessions.list(session),
  'session.select': ({ session }) => sessions.select(session),
  'session.show': ({ session }) => sessions.show(session),
  'session.close_tab': async ({ session }) => ({ closed: await sessions.closeTab(session) }),
  'session.close': async ({ session }) => ({ closed: await sessions.close(session) }),
})
