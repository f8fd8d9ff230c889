import type { ActMethod, CallContext, PageAgent, PageAnswer, PageMethod, PageMethods } from '../page/agent.ts'

export type { ActMethod, PageMethod, PageMethods }
export type AgentAnswer<M extends PageMethod> = PageAnswer<PageMethods[M]['result']>

type AgentWorld = typeof globalThis & { __unicliPage?: PageAgent }

/** As JSON text both ways: Chromium strips null from the objects that it passes to and from a page. */
export type Invoked = { missing: true } | { missing: false; json: string }

/** Injected into a document: uses nothing from outside of itself. */
export async function invokeAgent(
  method: PageMethod,
  paramsJson: string,
  context: CallContext,
): Promise<Invoked> {
  const agent = (globalThis as AgentWorld).__unicliPage
  if (agent === undefined) return { missing: true }
  return { missing: false, json: JSON.stringify(await agent.call(method, JSON.parse(paramsJson), context)) }
}

/** Injected into a document: uses nothing from outside of itself. */
export function stopAgent(call: string): { stopped: boolean } {
  const agent = (globalThis as AgentWorld).__unicliPage
  agent?.stop(call)
  return { stopped: agent !== undefined }
}
