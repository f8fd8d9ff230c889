import type { FailureJson } from '../../shared/failures.ts'

/** What a call tells the agent of a document beside its params. */
export interface AgentContext {
  /** The number that this document gets if it has none yet; refs are `d<document>e<n>`. */
  document: number
  /** Names the call for `stop`. */
  call: string
  /** Epoch ms. */
  deadline: number
}

/** `document` is the number that the document really has. */
export type AgentAnswer = { document: number } & (
  | { ok: true; value: unknown }
  | { ok: false; failure: FailureJson }
)

/**
 * What extension/page leaves in the extension's own world of a document, as the one global `__unicliPage`.
 * Methods are those of the wire's `page` namespace without the prefix: snapshot, click, type, press, wait, html,
 * storage, with the wire's params but the session.
 */
export interface PageAgent {
  call(method: string, params: unknown, context: AgentContext): Promise<AgentAnswer>
  /** The caller of `call` no longer wants its answer. */
  stop(call: string): void
}

type AgentWorld = typeof globalThis & { __unicliPage?: PageAgent }

export type Invoked = { missing: true } | { missing: false; answer: AgentAnswer }

/** Injected into a document: uses nothing from outside of itself. */
export async function invokeAgent(method: string, params: unknown, context: AgentContext): Promise<Invoked> {
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
