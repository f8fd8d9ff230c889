import { PROTOCOL } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'
import type { RunBrief, Status } from '../../shared/status.ts'
import type { CompanionOptions } from '../daemon/lifecycle.ts'
import type { Kernel } from '../kernel/operation.ts'
import type { Governor } from '../kernel/policy/governor.ts'
import type { Library } from '../library/catalogue.ts'
import type { ConfigPort, LedgerPort } from '../ports/state.ts'
import type { Browsers } from '../substrates/browser/browsers.ts'

export interface StatusParts {
  kernel: Kernel
  governor: Governor
  library: Library
  browsers: Browsers
  ledger: Pick<LedgerPort, 'list' | 'get'>
  config: ConfigPort
  httpUrl: string | null
}

/** Ended runs in the state record. */
const RECENT = 8

/** Makes the one state record. Who wants to know how things are reads this. */
export class Statuses {
  readonly #options: CompanionOptions
  /** What a run that has ended showed does not change: it is read once. */
  #shown = new Map<string, RunBrief>()

  constructor(options: CompanionOptions) {
    this.#options = options
  }

  of(parts: StatusParts): Status {
    const { version, startedAt } = this.#options
    const { kernel, governor, library, browsers, config } = parts
    const running = [...kernel.running()]
    const recent = this.#recent(parts, running.length)
    return {
      version,
      protocol: PROTOCOL,
      pid: process.pid,
      started_at: startedAt,
      uptime_ms: Date.now() - startedAt,
      http_url: parts.httpUrl,
      operations: library.list().length,
      adapter_faults: library.faults().length,
      profiles: browsers.links(),
      running,
      last_run: recent[0] ?? null,
      recent,
      approvals: [...kernel.approvals()],
      sites: governor.sites(),
      ...settingsOf(governor, config),
    }
  }

  #recent({ ledger }: StatusParts, open: number): RunBrief[] {
    const ended = ledger
      .list({ limit: RECENT + open })
      .filter(run => run.state !== 'running' && run.state !== 'waiting')
      .slice(0, RECENT)
    const shown = ended.map(run => this.#shown.get(run.run_id) ?? proven(run, ledger))
    this.#shown = new Map(shown.map(run => [run.run_id, run]))
    return shown
  }
}

/** Settings that are not right are told by whoever needs them; the record does without. */
function settingsOf(governor: Governor, config: ConfigPort): Pick<Status, 'policy_profile' | 'paused'> {
  try {
    return { policy_profile: governor.profile(), paused: config.get('policy.paused') === true }
  } catch (error) {
    if (Failure.is(error, 'config_invalid')) return {}
    throw error
  }
}

/** With what the run observed and left behind. */
function proven(run: RunBrief, ledger: Pick<LedgerPort, 'get'>): RunBrief {
  const record = ledger.get(run.run_id)
  const verdict = record?.meta?.verdict ?? null
  const evidence = record?.evidence?.length ?? 0
  return { ...run, ...(verdict !== null && { verdict }), ...(evidence > 0 && { evidence }) }
}
