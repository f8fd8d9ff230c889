import { limitedTo } from '../../shared/abort.ts'
import type { Kernel } from '../kernel/operation.ts'
import { runOfSession } from '../kernel/run-id.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { State } from './state.ts'

const WITHIN_MS = 10_000

/**
 * Ends the own sessions of runs that are over, in a browser that is linked anew: what should have ended them went
 * with the link, or with the companion before this one.
 */
export async function endLeftovers(
  profile: string,
  { browsers, kernel, log }: { browsers: BrowserPort; kernel: Pick<Kernel, 'running'>; log: State['log'] },
): Promise<void> {
  const limits = limitedTo(WITHIN_MS)
  try {
    const sessions = await browsers.open({ profile, session: 'default' }).call('session.list', {}, limits)
    for (const { session } of sessions) {
      const run = runOfSession(session)
      if (run === null || kernel.running().some(({ run_id }) => run_id === run)) continue
      const { closed } = await browsers.open({ profile, session }).call('session.close', {}, limits)
      log.info('what a run had left open was closed', { run_id: run, tabs: closed })
    }
  } catch (error) {
    // At the next link it is tried again, and after half an hour the browser does it by itself.
    log.warn('what runs had left open could not be closed', { error })
  }
}
