import type { WireHandlers } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'

export const captureHandlers = ({
  captures,
  gate,
}: WorkerParts): Pick<WireHandlers, 'capture.start' | 'capture.stop' | 'capture.revoke'> => ({
  'capture.start': async ({ session, origin }) => {
    await captures.start(session, origin)
    return {}
  },
  'capture.stop': async ({ session }) => {
    await captures.stop(session)
    return {}
  },
  'capture.revoke': async ({ site }) => {
    gate.forget(site)
    await captures.revoke(site)
    return {}
  },
})
