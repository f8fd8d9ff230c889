import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { Send } from '../worker/debug-attachment.ts'
import type { WorkerParts } from '../worker/worker.ts'

type Evaluated = { kind: 'value'; json: string } | { kind: 'threw'; reason: string } | { kind: 'forbidden' }

/** In the page's own world; by the debugger where the page's policy forbids eval. */
export const evaluateHandler =
  ({ sessions, scripts, debug }: WorkerParts): WireHandlers['page.evaluate'] =>
  async ({ session, args = [], world = 'page', ...params }, { signal }) => {
    const tab = await sessions.tabOf(session)
    const expression = callOf(params.expression, args)
    if (world === 'isolated') {
      const isolated = debug.on(tab, send => evaluateIsolated(send, expression))
      return { value: await orAborted(isolated, signal) }
    }
    const place = { tab, world: 'MAIN' as const }
    const done = await scripts.run(place, session, signal, evaluateInPage, [expression])
    if (done === null) throw new Failure('outcome_unknown', { action: 'The script' })
    if (done.kind === 'value') return { value: JSON.parse(done.json) as unknown }
    if (done.kind === 'threw') throw new Failure('script_failed', { reason: done.reason })
    const byDebugger = debug.on(tab, send => evaluateByDebugger(send, expression))
    return { value: await orAborted(byDebugger, signal) }
  }

const FUNCTION = /^\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[\p{L}_$][\p{L}\d_$]*\s*=>)/u

/** A function is called, as testing tools do it; without that it would answer nothing. */
export const callOf = (expression: string, args: readonly unknown[]): string =>
  args.length > 0 || FUNCTION.test(expression)
    ? `(${expression.trim().replace(/;$/, '')})(...${JSON.stringify(args)})`
    : expression

/** Injected into a page: uses nothing from outside of itself. */
export async function evaluateInPage(expression: string): Promise<Evaluated> {
  // Indirect, so that the expression sees globals only. A policy shows itself before the expression could run.
  // biome-ignore lint/security/noGlobalEval: running what the caller wrote is the purpose
  const run = globalThis.eval
  try {
    if (run('1') !== 1) return { kind: 'forbidden' }
  } catch {
    // EvalError, or TypeError where only trusted types may be evaluated.
    return { kind: 'forbidden' }
  }
  try {
    const value: unknown = await run(expression)
    return { kind: 'value', json: JSON.stringify(value ?? null) ?? 'null' }
  } catch (error) {
    return {
      kind: 'threw',
      reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }
  }
}

interface EvaluateAnswer {
  result: { value?: unknown }
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } }
}

/** A world of its own, made for the one expression: what the page has changed of the DOM's methods is not there. */
async function evaluateIsolated(send: Send, expression: string): Promise<unknown> {
  const { frameTree } = await send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree')
  const { executionContextId } = await send<{ executionContextId: number }>('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'evaluate',
  })
  return await evaluateByDebugger(send, expression, executionContextId)
}

async function evaluateByDebugger(send: Send, expression: string, contextId?: number): Promise<unknown> {
  const { result, exceptionDetails } = await send<EvaluateAnswer>('Runtime.evaluate', {
    expression,
    ...(contextId === undefined ? {} : { contextId }),
    awaitPromise: true,
    returnByValue: true,
  })
  if (exceptionDetails === undefined) return result.value ?? null
  const { text, exception } = exceptionDetails
  const reason = exception?.description?.split('\n')[0] ?? String(exception?.value ?? text)
  throw new Failure('script_failed', { reason })
}
