import type { ActResult } from '../../shared/values.ts'
import type { AgentCall } from '../worker/documents.ts'
import type { WorkerParts } from '../worker/worker.ts'

/**
 * Adds what the page shows otherwise since the agent in the page answered: for acts that went on by other means than
 * the agent. What it cannot be asked of, such as a page that came new, has no changes to tell.
 */
export async function withChanges(
  parts: WorkerParts,
  rest: Pick<AgentCall<'changes'>, 'session' | 'place' | 'signal' | 'deadline'>,
  result: ActResult,
): Promise<ActResult> {
  const answer = await parts.documents.ask({ ...rest, method: 'changes', params: {} })
  const since = answer?.ok ? answer.value.changes : null
  if (since === null) return result
  const changes = [result.changes ?? '', since].filter(part => part !== '').join('\n')
  return { ...result, changes }
}
