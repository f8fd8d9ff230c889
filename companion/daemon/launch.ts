import { existsSync } from 'node:fs'
import { Failure } from '../../shared/failures.ts'
import { type Attached, type AttachSettings, CompanionClient, tryAttach } from './client.ts'

export interface LaunchSettings extends AttachSettings {
  /** The file that is the companion: dist/bin/companion.js. */
  entry: string
  /** Where the companion's environment is taken from; this process's own when absent. */
  env?: Record<string, string | undefined>
  /** Leave it stopped after `daemon stop`; fails with companion_unavailable. */
  unlessStopped?: boolean
}

const ATTEMPTS = 3

/** Connects to the companion, which is started when none runs. Fails as `tryAttach`, and when it does not start. */
export async function ensureAttached(settings: LaunchSettings): Promise<Attached> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const attached = await tryAttach(settings)
    if (attached !== null) return attached
    if (settings.unlessStopped && existsSync(settings.paths.stopped))
      throw new Failure('companion_unavailable', { reason: 'it was stopped by "unicli daemon stop"' })
    // Loaded only when it is needed: most calls find a companion that runs.
    const { startCompanionProcess } = await import('./spawn.ts')
    await startCompanionProcess(settings.paths, settings.entry, settings.env ?? process.env)
  }
  throw new Failure('companion_unavailable', { reason: 'it started and ended at once' })
}

/** The same for those who call. */
export const ensureCompanion = async (settings: LaunchSettings): Promise<CompanionClient> =>
  new CompanionClient(await ensureAttached(settings))
