import type { PersonHandlers } from '../../../companion/substrates/browser/person.ts'
import type { Status } from '../../../shared/status.ts'

export const emptyStatus = (): Status => ({
  version: '9.9.9',
  protocol: 1,
  pid: process.pid,
  started_at: 0,
  uptime_ms: 0,
  http_url: null,
  operations: 0,
  adapter_faults: 0,
  profiles: [],
  running: [],
  last_run: null,
  approvals: [],
})

/** A person's side where nothing goes on. */
export const silentPerson = (): PersonHandlers => ({
  'person.status': emptyStatus,
  'person.evidence': () => ({ evidence: [] }),
  'person.pause': ({ paused }) => ({ paused }),
  'person.site': ({ site }) => ({ site }),
  'person.stop': () => ({ stopped: 0 }),
  'person.answer': () => ({ answered: false }),
})
