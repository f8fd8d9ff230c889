import type { Envelope, Meta } from '../../../shared/envelope.ts'
import type { Failure } from '../../../shared/failures.ts'
import { errorInfoOf } from '../../kernel/envelopes.ts'

/** What a command of our own answers; operations answer with envelopes of the kernel. */
export interface Answer {
  data: unknown
  columns?: readonly string[]
  /** The same for a person, ready to print. */
  text?: string
  /** The text is what was asked for, in every format: a script, words for a shell. */
  raw?: boolean
  /** Remarks for stderr. */
  notes?: readonly string[]
}

/** Where it was asked: `unicli` and the command for our own, else the operation's site and command. */
export interface Asked {
  site: string
  command: string
  startedAt: number
}

export const answered = (asked: Asked, { data, columns }: Answer): Envelope => ({
  ok: true,
  version: 'v2',
  data,
  meta: { ...metaOf(asked, data), ...(columns && { columns: [...columns] }) },
  evidence: [],
  error: null,
  exit_code: 0,
})

/** For what fails before the kernel is asked: such a call has no run. */
export const refused = (asked: Asked, failure: Failure): Envelope => ({
  ok: false,
  version: 'v2',
  data: null,
  meta: metaOf(asked, null),
  evidence: [],
  error: errorInfoOf(failure),
  exit_code: failure.spec.exit,
})

const metaOf = ({ site, command, startedAt }: Asked, data: unknown): Meta => ({
  site,
  command,
  strategy: null,
  strategy_source: null,
  duration_ms: Date.now() - startedAt,
  count: Array.isArray(data) ? data.length : null,
  adapter_path: null,
  run_id: '',
  effect: 'read',
  verdict: null,
  profile: null,
  session: null,
})
