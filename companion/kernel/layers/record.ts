import type { LedgerPort } from '../../ports/state.ts'
import { SECRET } from '../secrecy.ts'
import type { Layer } from './layer.ts'

/** Writes the run into the ledger before anything happens, so that a crash leaves its trace. */
export const record =
  (ledger: LedgerPort): Layer =>
  (run, next) => {
    const { args, options, surface, operation } = run.invocation
    const secrets = run.operation?.secrets ?? []
    ledger.begin({
      run_id: run.id,
      operation,
      surface,
      args: Object.fromEntries(
        Object.entries(args).map(([name, value]) => [name, secrets.includes(name) ? SECRET : value]),
      ),
      options: { ...options },
      started_at: run.startedAt,
      profile: options.profile ?? null,
    })
    run.recorded = true
    return next()
  }
