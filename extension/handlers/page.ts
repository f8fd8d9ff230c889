import { Failure } from '../../shared/failures.ts'
import type { WireHandlers, WireMethod, WireParams, WireResult } from '../../shared/wire.ts'
import { documentOf } from '../worker/documents.ts'
import { navigate } from '../worker/navigation.ts'
import type { Place } from '../worker/scripts.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { evaluateHandler } from './evaluate.ts'

type PageMethod = Extract<WireMethod, `page.${string}`>
interface Call {
  signal: AbortSignal
  deadline: number
}

export function pageHandlers(parts: WorkerParts): Pick<WireHandlers, PageMethod> {
  return {
    'page.navigate': (params, { signal }) => navigate(parts.sessions, params, signal),
    'page.evaluate': evaluateHandler(parts),
    'page.snapshot': (params, call) => askAgent(parts, 'page.snapshot', params, call),
    'page.click': (params, call) => askAgent(parts, 'page.click', params, call),
    'page.type': (params, call) => askAgent(parts, 'page.type', params, call),
    'page.press': (params, call) => askAgent(parts, 'page.press', params, call),
    'page.wait': (params, call) => askAgent(parts, 'page.wait', params, call),
    'page.html': (params, call) => askAgent(parts, 'page.html', params, call),
    'page.storage': (params, call) => askAgent(parts, 'page.storage', params, call),
  }
}

async function askAgent<M extends PageMethod>(
  parts: WorkerParts,
  wireMethod: M,
  { session, ...params }: WireParams<M>,
  call: Call,
): Promise<WireResult<M>> {
  const tab = await parts.sessions.tabOf(session)
  const place: Place = { tab, frame: await frameOfTarget(parts, tab, params) }
  const method = wireMethod.slice('page.'.length)
  const answer = await parts.documents.ask({ session, place, method, params, ...call })
  if (answer === null) throw new Failure('outcome_unknown', { action: wireMethod })
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  // The agent implements the wire's own results; the companion parses them again.
  return answer.value as WireResult<M>
}

async function frameOfTarget(parts: WorkerParts, tab: number, params: object): Promise<number> {
  const target = 'target' in params && typeof params.target === 'string' ? params.target : ''
  return documentOf(target) === '' ? 0 : await parts.documents.frameOf(tab, target)
}
