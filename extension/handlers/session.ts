import type { WireHandlers } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'

export const sessionHandlers = ({
  sessions,
}: WorkerParts): Pick<WireHandlers, 'session.tabs' | 'session.show' | 'session.close'> => ({
  'session.tabs': ({ session }) => sessions.list(session),
  'session.show': ({ session }) => sessions.show(session),
  'session.close': async ({ session }) => ({ closed: await sessions.close(session) }),
})
