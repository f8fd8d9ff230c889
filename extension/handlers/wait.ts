import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { delay } from '../worker/delay.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { frameOfTarget } from './target.ts'

/** A document that was just replaced may not have its successor yet. */
const AGAIN_MS = 50
const LOOK_AGAIN_MS = 1500

/** Waits across navigations: when the document goes away, the next one is asked. */
export const waitHandler =
  (parts: WorkerParts): WireHandlers['page.wait'] =>
  async ({ session, ...params }, { signal, deadline }) => {
    const started = Date.now()
    const tab = await parts.sessions.tabOf(session)
    for (;;) {
      const place = { tab, frame: await frameOfTarget(parts, { session, tab }, params.target) }
      // What is waited for may come in a frame that is not there yet.
      const until = params.target === null ? deadline : Math.min(deadline, Date.now() + LOOK_AGAIN_MS)
      const call = { session, place, signal, deadline: until }
      const answer = await parts.documents.ask({ ...call, method: 'wait', params })
      if (answer?.ok) return { ...answer.value, waited_ms: Date.now() - started }
      if (answer !== null && until < deadline && answer.failure.code === 'deadline_exceeded') continue
      if (answer?.failure.code === 'deadline_exceeded')
        throw new Failure('deadline_exceeded', { action: 'wait', ms: Date.now() - started })
      if (answer !== null) throw Failure.fromJSON(answer.failure)
      await orAborted(delay(AGAIN_MS), signal)
    }
  }
