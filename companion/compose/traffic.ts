import { join } from 'node:path'
import { limitedTo } from '../../shared/abort.ts'
import { Numbers } from '../capture/numbers.ts'
import { TrafficStore } from '../capture/store.ts'
import { readIfThere, replaceFile } from '../daemon/atomic-file.ts'
import type { BrowserPort } from '../ports/browser.ts'
import type { Paths } from '../state/paths.ts'
import type { State } from './state.ts'

/** What browsers tell of requests, with what is long among the evidence. */
export function openTraffic(
  { evidence, log }: Pick<State, 'evidence' | 'log'>,
  { paths, version }: { paths: Paths; version: string },
): TrafficStore {
  const file = join(paths.run, 'request-numbers.json')
  const numbers = new Numbers({
    read: () => readIfThere(file),
    write: content => replaceFile(file, content),
  })
  const settings = {
    spill: evidence,
    version,
    onFault: (error: unknown) => log.error('a captured body could not be kept', { error }),
  }
  return new TrafficStore(settings, undefined, numbers)
}

const WITHIN_MS = 10_000

/** The person took a site back: what runs in its pages to capture them, in any browser, ends. Null: in those of all. */
export function endCaptures(browsers: BrowserPort, site: string | null, log: State['log']): void {
  for (const { profile, state } of browsers.links()) {
    if (state !== 'linked') continue
    const limits = limitedTo(WITHIN_MS)
    browsers
      .open({ profile: profile.id, session: 'default' })
      .call('capture.revoke', { site }, limits)
      .catch((error: unknown) => log.warn('a browser was not told which site was taken back', { error }))
  }
}
