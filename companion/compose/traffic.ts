import { TrafficStore } from '../capture/store.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { State } from './state.ts'

/** What browsers tell of requests, with what is long among the evidence. */
export const openTraffic = (
  { evidence, log }: Pick<State, 'evidence' | 'log'>,
  version: string,
): TrafficStore =>
  new TrafficStore({
    spill: evidence,
    version,
    onFault: error => log.error('a captured body could not be kept', { error }),
  })

const WITHIN_MS = 10_000

/** The person took a site back: what runs in its pages to capture them, in any browser, ends. Null: in those of all. */
export function endCaptures(browsers: BrowserPort, site: string | null, log: State['log']): void {
  for (const { profile, state } of browsers.links()) {
    if (state !== 'linked') continue
    const limits = { signal: AbortSignal.timeout(WITHIN_MS), deadline: Date.now() + WITHIN_MS }
    browsers
      .open({ profile: profile.id, session: 'default' })
      .call('capture.revoke', { site }, limits)
      .catch((error: unknown) => log.warn('a browser was not told which site was taken back', { error }))
  }
}
