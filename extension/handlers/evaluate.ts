import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { Send } from '../worker/debug-attachment.ts'
import { needDebugger } from '../worker/need-debugger.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { frameOfTarget } from './target.ts'

type DomPath = NonNullable<PageMethods['path']['result']['path']>

type Evaluated =
  | { kind: 'value'; json: string }
  | { kind: 'threw' | 'untold'; reason: string }
  | { kind: 'forbidden' }

/** How often an element is looked for again that the page moved just then. */
const ATTEMPTS = 3

/** In the page's own world; by the debugger where the page's policy forbids eval. */
export const evaluateHandler =
  (parts: WorkerParts): WireHandlers['page.evaluate'] =>
  async ({ session, args = [], target = null, ...params }, call) => {
    const tab = await parts.sessions.tabOf(session)
    const frame = await frameOfTarget(parts, { session, tab }, target)
    const run = { parts, session, tab, frame, call, world: params.world ?? 'page' }
    if (target === null) return { value: await evaluated(run, callOf(params.expression, args)) }
    for (let attempt = 1; ; attempt += 1) {
      const expression = callOn(await pathOf(run, target), params.expression, args)
      try {
        return { value: await evaluated(run, expression) }
      } catch (error) {
        const moved = Failure.is(error, 'script_failed') && error.params.reason.includes(MOVED)
        if (!moved) throw error
        if (attempt === ATTEMPTS)
          throw new Failure('element_not_ready', { target, reason: 'the page moves it all the time' })
      }
    }
  }

interface Run {
  parts: WorkerParts
  session: string
  tab: number
  frame: number
  call: { signal: AbortSignal; deadline: number }
  world: 'page' | 'isolated'
}

async function evaluated(
  { parts, session, tab, frame, call, world }: Run,
  expression: string,
): Promise<unknown> {
  const { scripts, debug } = parts
  if (world === 'isolated') {
    needDebugger('isolated')
    if (frame !== 0) throw onlyMainFrame('the isolated world')
    return await orAborted(
      debug.on(tab, send => evaluateIsolated(send, expression)),
      call.signal,
    )
  }
  const place = { tab, frame, world: 'MAIN' as const }
  const done = await scripts.run(place, session, call.signal, evaluateInPage, [expression])
  if (done === null) throw new Failure('outcome_unknown', { action: 'The script' })
  if (done.kind === 'value') return JSON.parse(done.json) as unknown
  if (done.kind === 'threw') throw new Failure('script_failed', { reason: done.reason })
  if (done.kind === 'untold') throw untold(done.reason)
  needDebugger('eval')
  if (frame !== 0) throw onlyMainFrame('a page whose policy forbids eval')
  return await orAborted(
    debug.on(tab, send => evaluateByDebugger(send, expression)),
    call.signal,
  )
}

/** It did what it does. */
const untold = (reason: string): Failure<'script_failed'> =>
  new Failure('script_failed', { reason: `it ran to its end, but what it gives is no JSON (${reason})` })

const onlyMainFrame = (where: string): Failure<'script_failed'> =>
  new Failure('script_failed', { reason: `in ${where} only elements of the main frame can be given to it` })

async function pathOf({ parts, session, tab, frame, call }: Run, target: string): Promise<DomPath> {
  const place = { tab, frame }
  const answer = await parts.documents.ask({ session, place, method: 'path', params: { target }, ...call })
  if (answer === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  if (answer.value.path !== null) return answer.value.path
  const reason = 'it lies in a closed shadow root, into which no script of the page can look'
  throw new Failure('element_not_ready', { target, reason })
}

const MOVED = 'unicli: the element has moved'

/** The same for an element, which an expression has as `el` and a function as its first argument. */
export function callOn({ steps, tag }: DomPath, expression: string, args: readonly unknown[]): string {
  const walk = `for (const step of ${JSON.stringify(steps)}) at = at && (step < 0 ? at.shadowRoot : at.childNodes[step])`
  const check = `if (!at || at.localName !== ${JSON.stringify(tag)}) throw new Error(${JSON.stringify(MOVED)})`
  const element = `(() => { let at = document; ${walk}; ${check}; return at })()`
  const body = expression.trim().replace(/;$/, '')
  return args.length > 0 || FUNCTION.test(expression)
    ? `(${body}\n)(${element}, ...${JSON.stringify(args)})`
    : `(el => (${body}\n))(${element})`
}

const FUNCTION = /^\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[\p{L}_$][\p{L}\d_$]*\s*=>)/u

/** A function is called, as testing tools do it; without that it would answer nothing. It may end in a remark. */
export const callOf = (expression: string, args: readonly unknown[]): string =>
  args.length > 0 || FUNCTION.test(expression)
    ? `(${expression.trim().replace(/;$/, '')}\n)(...${JSON.stringify(args)})`
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
  // Whatever was thrown, also by what is to tell of it, is told of.
  const reasonOf = (thrown: unknown): string => {
    try {
      if (typeof thrown !== 'object' || thrown === null) return String(thrown)
      const { name, message } = thrown as { name?: unknown; message?: unknown }
      if (typeof message === 'string') return typeof name === 'string' ? `${name}: ${message}` : message
      return JSON.stringify(thrown) ?? String(thrown)
    } catch {
      return 'something of which nothing can be told'
    }
  }
  let value: unknown
  try {
    value = await run(expression)
  } catch (error) {
    return { kind: 'threw', reason: reasonOf(error) }
  }
  try {
    return { kind: 'value', json: JSON.stringify(value ?? null) ?? 'null' }
  } catch (error) {
    return { kind: 'untold', reason: reasonOf(error).split('\n', 1)[0] ?? '' }
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
  const asked = { expression, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await send<EvaluateAnswer>('Runtime.evaluate', {
    ...asked,
    ...(contextId === undefined ? {} : { contextId }),
  }).catch((error: unknown) => {
    const [, reason] =
      /"message":"(Object (?:couldn't|reference)[^"]*|Internal error)/.exec(String(error)) ?? []
    throw reason === undefined ? error : untold(reason)
  })
  if (exceptionDetails === undefined) return result.value ?? null
  const { text, exception } = exceptionDetails
  const reason = exception?.description?.split('\n')[0] ?? String(exception?.value ?? text)
  throw new Failure('script_failed', { reason })
}
