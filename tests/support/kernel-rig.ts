import { join } from 'node:path'
import { TrafficStore } from '../../companion/capture/store.ts'
import { openGovernor } from '../../companion/compose/governor.ts'
import { createKernel, type KernelParts } from '../../companion/kernel/kernel.ts'
import type { Kernel, RunOptions } from '../../companion/kernel/operation.ts'
import { absolutePaths } from '../../companion/library/adapter-folders.ts'
import { knownColumns } from '../../companion/library/adapter-texts.ts'
import { type Library, openLibrary } from '../../companion/library/catalogue.ts'
import type { BrowserPort } from '../../companion/ports/browser.ts'
import type { HttpFactory } from '../../companion/ports/http.ts'
import type { ConfigStorePort } from '../../companion/ports/state.ts'
import { openBlobs } from '../../companion/state/blobs.ts'
import { openConfig } from '../../companion/state/config.ts'
import { type Database, openDatabase } from '../../companion/state/database.ts'
import { openLedger } from '../../companion/state/ledger.ts'
import { openStrategyCache } from '../../companion/state/strategies.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { createFilesFactory } from '../../companion/substrates/files/files.ts'
import { createMcpFactory } from '../../companion/substrates/mcp/connections.ts'
import { createProcessFactory } from '../../companion/substrates/process/process.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { Failure } from '../../shared/failures.ts'
import { type RecordingLog, recordingLog } from './recording-log.ts'
import { ADAPTERS } from './shipped-adapters.ts'
import { makeTempDir } from './temp.ts'

/** The real kernel over the packaged adapters and real state in a folder of its own; no daemon, no surface. */
export interface KernelRig {
  kernel: Kernel
  /** What the kernel was made of. */
  parts: KernelParts
  library: Library
  config: ConfigStorePort
  log: RecordingLog
  /** Where config.yaml, cookies/ and adapters/ are. */
  home: string
  run(operation: string, args?: Record<string, unknown>, options?: RunOptions): Promise<Envelope>
  close(): Promise<void>
}

/** A companion to which no browser is linked. */
export const noBrowser: BrowserPort = {
  open() {
    throw new Failure('no_browser', { cause: 'none in this test', mend: 'unicli setup' })
  },
  links: () => [],
  settled: async () => undefined,
}

interface RigPorts {
  http: (home: string, log: RecordingLog) => HttpFactory
  browser?: BrowserPort
}

export async function makeKernelRig(ports: RigPorts): Promise<KernelRig> {
  const dir = await makeTempDir()
  const home = dir.path
  const log = recordingLog()
  const db = openDatabase({ file: join(home, 'state.db'), log })
  const parts = partsIn(home, ports, { db, log })
  const { config, catalogue: library, ledger } = parts
  const kernel = createKernel(parts)
  return {
    kernel,
    parts,
    library,
    config,
    log,
    home,
    run: (operation, args = {}, options = {}) =>
      kernel.run({ operation, args, options, surface: 'cli', signal: new AbortController().signal }),
    close: async () => {
      library.close()
      ledger.close()
      db.close()
      await dir.remove()
    },
  }
}

function partsIn(home: string, ports: RigPorts, { db, log }: { db: Database; log: RecordingLog }) {
  const config = openConfig(join(home, 'config.yaml'))
  const library = openLibrary({
    steps: STEPS,
    packaged: ADAPTERS,
    overlay: join(home, 'adapters'),
    extra: () => absolutePaths(config.get('adapters.dirs') as string[]),
    log,
  })
  const ledger = openLedger({ db, log, days: 1, maxBytes: 10_000_000 })
  const evidence = openBlobs({ db, folder: join(home, 'blobs'), maxBytes: 10_000_000, days: 1 })
  // Nobody is there to be asked; what asks is tested with its own profile.
  config.set('policy.profile', 'open')
  return {
    governor: openGovernor(
      { policy: join(home, 'policy.yaml'), home },
      { config, db, onChange: () => undefined },
    ),
    http: ports.http(home, log),
    browser: ports.browser ?? noBrowser,
    traffic: new TrafficStore({
      spill: evidence,
      version: 'test',
      onFault: error => log.error('a fault', { error }),
    }),
    strategies: openStrategyCache({ db }),
    known: operation => knownColumns(ADAPTERS, operation),
    config,
    files: createFilesFactory({ own: join(home, 'files'), granted: () => [] }),
    process: createProcessFactory(),
    mcp: createMcpFactory('test'),
    catalogue: library,
    steps: STEPS,
    ledger,
    evidence,
    onChange: () => undefined,
    onEvent: () => undefined,
    onFault: (error, run) => log.error('a fault', { error, ...run }),
  } satisfies KernelParts
}
