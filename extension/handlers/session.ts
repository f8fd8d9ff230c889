import type { WireHandlers, WireMethod } from '../../shared/wire.ts'
import { globOf } from '../worker/glob.ts'
import type { WorkerParts } from '../worker/worker.ts'

export const sessionHandlers = ({
  sessions,
}: WorkerParts): Pick<WireHandlers, Extract<WireMethod, `session.${string}`>> => ({
  'session.list': () => sessions.sessions(),
  'session.lease': ({ session, ms }) => sessions.setLease(session, ms),
  'session.strangers': ({ url, title }) => {
    const fitting = [globOf(url), globOf(title)] as const
    return sessions.strangers(tab => fitting[0](tab.url) && fitting[1](tab.title))
  },
  'session.attach': ({ session, stranger }) => sessions.attach(session, stranger),
  'session.tabs': ({ session }) => sessions.list(session),
  'session.select': ({ session }) => sessions.select(session),
  'session.show': ({ session }) => sessions.show(session),
  'session.close_tab': async ({ session }) => ({ closed: await sessions.closeTab(session) }),
  'session.close': async ({ session }) => ({ closed: await sessions.close(session) }),
})
