import { join } from 'node:path'
import type { HttpCachePort } from '../ports/http-cache.ts'
import type { ConfigStorePort, EvidencePort } from '../ports/state.ts'
import { openBlobs } from '../state/blobs.ts'
import { openConfig } from '../state/config.ts'
import { type Database, openDatabase } from '../state/database.ts'
import { openHttpCache } from '../state/http-cache.ts'
import { type Ledger, openLedger } from '../state/ledger.ts'
import { type Log, type LogLevel, openLog } from '../state/log.ts'
import type { Paths } from '../state/paths.ts'

export const MB = 1024 * 1024

/** Everything that is kept, opened; closed in reverse. */
export interface State {
  config: ConfigStorePort
  log: Log
  db: Database
  ledger: Ledger
  evidence: EvidencePort
  answers: HttpCachePort
}

/** Opens what is kept as the person's settings say. Fails with config_invalid, state_unavailable. */
export function openState(paths: Paths): State {
  const config = openConfig(paths.config)
  // The setting's schema lets nothing but a level through.
  const log = openLog({ folder: paths.logs, level: config.get('log.level') as LogLevel })
  const db = openDatabase({ file: paths.database, log })
  const days = Number(config.get('ledger.days'))
  const ledger = openLedger({ db, log, days, maxBytes: Number(config.get('ledger.max_mb')) * MB })
  const evidence = openBlobs({
    db,
    folder: join(paths.home, 'blobs'),
    maxBytes: Number(config.get('evidence.max_mb')) * MB,
    days,
  })
  const answers = openHttpCache({
    folder: join(paths.home, 'cache', 'http'),
    maxBytes: Number(config.get('cache.max_mb')) * MB,
    log,
  })
  return { config, log, db, ledger, evidence, answers }
}
