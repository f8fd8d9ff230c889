import type { CallContext, PageAgent, PageAnswer, PageMethod, PageMethods } from '../page/agent.ts'

export type { PageMethod, PageMethods }
export type AgentAnswer<M extends PageMethod> = PageAnswer<PageMethods[M]['result']>

type AgentWorld = typeof globalThis & { __unicliPage?: PageAgent }

export type Invoked<M extends PageMethod> = { missing: true } | { missing: false; answer: AgentAnswer<M> }

/** Injected into a document: uses nothing from outside of itself. */
export async function invokeAgent<M extends PageMethod>(
  method: M,
  params: PageMethods[M]['params'],
  context: CallContext,
): Promise<Invoked<M>> {
  const agent = (globalThis as AgentWorld).__unicliPage
  if (agent === undefined) return { missing: true }
  return { missing: false, answer: await agent.call(method, params, context) }
}

/** Injected into a document: uses nothing from outside of itself. */
export function stopAgent(call: string): { stopped: boolean } {
  const agent = (globalThis as AgentWorld).__unicliPage
  agent?.stop(call)
  return { stopped: agent !== undefined }
}
