import { browser } from 'wxt/browser'
import { limitedTo } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { PersonDeeds } from '../worker/person-deeds.ts'
import { originOf } from '../worker/site-gate.ts'
import { addressOf } from '../worker/tab-address.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { boxOfTarget } from './screenshot.ts'

const SHOW_WITHIN_MS = 5000

export const personDeeds = (parts: WorkerParts): PersonDeeds => ({
  show: (session, id) => show(parts, addressOf(session, id)),
  end: async session => void (await parts.sessions.close(session)),
  lend: async (session, tab) => void (await parts.sessions.attach(session, tab)),
  giveBack: tab => parts.sessions.giveBack(tab),
})

async function show(parts: WorkerParts, address: string): Promise<void> {
  const { tab, url } = await parts.sessions.show(address)
  const target = parts.highlights.aimOf(address)
  const origin = originOf(url)
  if (target === null || origin === null || browser.debugger === undefined) return
  // The person themselves looks at their own page.
  const leave = parts.gate.enter({ session: address, granted: [origin], repeats: true })
  try {
    const rest = limitedTo(SHOW_WITHIN_MS)
    await parts.highlights.draw(tab, await boxOfTarget(parts, { session: address, tab, ...rest }, target))
  } catch (error) {
    // The element may be gone by now; the tab is in front all the same.
    if (!Failure.is(error)) throw error
    console.debug('what was acted on cannot be shown', error.message)
  } finally {
    leave()
  }
}
