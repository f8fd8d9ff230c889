import type { WireHandlers } from '../../shared/wire.ts'
import type { WorkerParts } from '../worker/worker.ts'

type Methods = 'network.start' | 'network.stop' | 'network.route' | 'console.read'

export const networkHandlers = ({ network, routes }: WorkerParts): Pick<WireHandlers, Methods> => ({
  'network.start': ({ session, source, max_body }) => network.start(session, source, max_body),
  'network.stop': async ({ session }) => ({ was: await network.stop(session) }),
  'network.route': async ({ session, add, remove }) => ({
    routes: await routes.change(session, add, remove),
  }),
  'console.read': ({ session }) => network.console(session),
})
