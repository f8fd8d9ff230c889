import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { ActResult, DialogPolicy, PageDialog } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import { needDebugger } from '../worker/need-debugger.ts'
import { suppressedDialogs } from '../worker/suppressed-dialogs.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { WouldAsk } from './acts.ts'

interface Call {
  signal: AbortSignal
  deadline: number
  unless_asks?: true
  dialogs?: DialogPolicy
}
interface Acting {
  session: string
  dialogs?: DialogPolicy | undefined
  target?: string | null | undefined
}
type Act<P, R> = (params: P, call: Call) => Promise<R>

/** How an operation goes with dialogs. */
interface Way<P, R> {
  likely: (params: P, tab: number, call: Call) => Promise<boolean>
  /** It finds out itself, and then fails with WouldAsk before it does anything. */
  findsOut?: true
  /** Where the browser has no debugger, the agent in the page answers; what it then was asked. */
  answered?: (result: R) => PageDialog[] | undefined
  /** It is no act of the agent's, which therefore is told to answer meanwhile. */
  isOwnScript?: true
  /** What is answered while the page stands still behind an open dialog. */
  waiting: (params: P, tab: number) => Promise<R>
  tell: (result: R, dialogs: PageDialog[]) => R
  /** Whether what the browser itself answered, unseen, is worth a look. */
  isDoubtful?: (result: R) => boolean
}

/**
 * Lets an operation tell what the page asked meanwhile. The debugger, whose banner the person sees, is on the tab
 * where a dialog is likely or the caller has said how to answer one.
 */
function watched<P extends Acting, R>(parts: WorkerParts, act: Act<P, R>, way: Way<P, R>): Act<P, R> {
  return async (given, call) => {
    const { dialogs: own, ...rest } = given
    // What is left out is for this layer alone.
    const params = rest as P
    const tab = await parts.sessions.find(params.session)
    const policy = own ?? (await parts.dialogs.policyOf(params.session))
    if (!parts.debug.available)
      return await withoutDebugger(parts, { policy, isAsked: own !== undefined, tab, params, call }, act, way)
    if (tab === null) return await act(params, call)
    parts.dialogs.refuseWhileOpen(tab)
    const holds =
      policy !== 'auto' ||
      parts.debug.isOn(tab) ||
      parts.dialogs.hasAsked(tab) ||
      (await way.likely(params, tab, call))
    if (!holds) {
      const asked = await unlessAsks(() => unwatched(parts, tab, () => act(params, trying(call, way)), way))
      if (asked !== null) return asked.done
    }
    const watching = { parts, tab, policy, signal: call.signal }
    const seen = await whileWatched(watching, () => act(params, call))
    if (seen === null) return await unwatched(parts, tab, () => act(params, call), way)
    const result = seen.done === null ? await way.waiting(params, tab) : seen.done.value
    return seen.dialogs.length === 0 ? result : way.tell(result, seen.dialogs)
  }
}

interface Undebugged<P> {
  policy: DialogPolicy
  /** The call itself says so, not the session. */
  isAsked: boolean
  tab: number | null
  params: P
  call: Call
}

/** Fails with unsupported where an answer is wanted that nobody can give. */
async function withoutDebugger<P extends Acting, R>(
  parts: WorkerParts,
  { policy, isAsked, tab, params, call }: Undebugged<P>,
  act: Act<P, R>,
  way: Way<P, R>,
): Promise<R> {
  const { answered, isOwnScript, tell, likely } = way
  if (policy === 'ask') needDebugger('dialogs')
  if (isOwnScript && tab !== null && (policy !== 'auto' || (await likely(params, tab, call)))) {
    const place = { session: params.session, tab }
    const { done, dialogs } = await answeredMeanwhile(parts, place, policy, call, () => act(params, call))
    return dialogs.length === 0 ? done : tell(done, dialogs)
  }
  if (isAsked && policy !== 'auto' && answered === undefined && !isOwnScript) needDebugger('leave')
  const result = await act(params, answered === undefined ? call : { ...call, dialogs: policy })
  const dialogs = answered?.(result) ?? []
  return dialogs.length === 0 ? result : tell(result, dialogs)
}

async function answeredMeanwhile<R>(
  { documents }: WorkerParts,
  { session, tab }: { session: string; tab: number },
  policy: DialogPolicy,
  call: Call,
  run: () => Promise<R>,
): Promise<{ done: R; dialogs: PageDialog[] }> {
  const answer = (wanted: DialogPolicy | null) =>
    documents.ask({ session, place: { tab }, method: 'answer', params: { policy: wanted }, ...call })
  await answer(policy)
  let ended: Awaited<ReturnType<typeof answer>> = null
  try {
    const done = await run()
    ended = await answer(null)
    return { done, dialogs: ended?.ok ? ended.value.raised : [] }
  } finally {
    if (ended === null) await answer(null).catch(error => console.debug('the page is gone', error))
  }
}

interface Watching {
  parts: WorkerParts
  tab: number
  policy: DialogPolicy
  signal: AbortSignal
}

/**
 * Null, and nothing was done, where something keeps the debugger off the tab, such as another extension's frame, and
 * nobody has said how dialogs are to be answered: the act then does without.
 */
async function whileWatched<R>(
  { parts, tab, policy, signal }: Watching,
  act: () => Promise<R>,
): Promise<Awaited<ReturnType<typeof parts.dialogs.during<R>>> | null> {
  let hasBegun = false
  const run = (): Promise<R> => {
    hasBegun = true
    return act()
  }
  try {
    return await parts.dialogs.during(tab, policy, signal, run)
  } catch (error) {
    if (hasBegun || policy !== 'auto' || !Failure.is(error, 'unsupported')) throw error
    return null
  }
}

const trying = <P, R>(call: Call, { findsOut }: Way<P, R>): Call =>
  findsOut ? { ...call, unless_asks: true } : call

/** Null where the act found out that the page is likely to ask. */
async function unlessAsks<R>(run: () => Promise<R>): Promise<{ done: R } | null> {
  try {
    return { done: await run() }
  } catch (error) {
    if (error instanceof WouldAsk) return null
    throw error
  }
}

async function unwatched<P, R>(
  parts: WorkerParts,
  tab: number,
  run: () => Promise<R>,
  { isDoubtful, tell }: Way<P, R>,
): Promise<R> {
  const since = Date.now()
  const result = await run()
  if (isDoubtful?.(result) !== true) return result
  const dialogs = await suppressedDialogs(parts.debug, tab, since)
  return dialogs.length === 0 ? result : tell(result, dialogs)
}

const askingAct = <P extends Acting>(parts: WorkerParts, act: Act<P, ActResult>): Act<P, ActResult> =>
  watched(parts, act, {
    likely: (_, tab) => parts.front.shows(tab),
    findsOut: true,
    answered: ({ dialogs }) => dialogs,
    waiting: async (_, tab) => waitingAct(tab),
    tell: toldByAct,
    isDoubtful: ({ verdict }) => verdict === 'unconfirmed',
  })

type Acts = Pick<
  WireHandlers,
  `page.${'click' | 'check' | 'select' | 'type' | 'press' | 'drag' | 'upload' | 'paste'}`
>

export const askingActs = <A extends Acts>(parts: WorkerParts, acts: A): A => ({
  ...acts,
  'page.click': askingAct(parts, acts['page.click']),
  'page.check': askingAct(parts, acts['page.check']),
  'page.select': askingAct(parts, acts['page.select']),
  'page.type': askingAct(parts, acts['page.type']),
  'page.press': askingAct(parts, acts['page.press']),
  'page.drag': askingAct(parts, acts['page.drag']),
  'page.upload': askingAct(parts, acts['page.upload']),
  'page.paste': askingAct(parts, acts['page.paste']),
})

export const askingEvaluate = (
  parts: WorkerParts,
  act: WireHandlers['page.evaluate'],
): WireHandlers['page.evaluate'] =>
  watched(parts, act, {
    likely: async ({ expression }) => /\b(?:alert|confirm|prompt|click|submit)\b/.test(expression),
    waiting: async () => ({ value: null }),
    tell: (result, dialogs) => ({ ...result, dialogs }),
    isOwnScript: true,
  })

export const askingNavigate = (
  parts: WorkerParts,
  act: WireHandlers['page.navigate'],
): WireHandlers['page.navigate'] =>
  watched(parts, (params, call) => unlessStayed(parts, params, call, act), {
    likely: async ({ session }, tab, call) =>
      (await parts.front.shows(tab)) || (await mayAskToStay(parts, { session, tab }, call)),
    waiting: ({ session }) => parts.sessions.info(session),
    tell: (result, dialogs) => ({ ...result, dialogs }),
  })

/** A page that is not left reports nothing at all: its question is the only sign. */
async function unlessStayed(
  parts: WorkerParts,
  params: Parameters<WireHandlers['page.navigate']>[0],
  call: Call,
  act: WireHandlers['page.navigate'],
): ReturnType<WireHandlers['page.navigate']> {
  const tab = await parts.sessions.find(params.session)
  if (tab === null) return await act(params, call)
  const stop = new AbortController()
  const off = parts.dialogs.onStay(tab, url => stop.abort(new Failure('leave_refused', { url })))
  try {
    return await act(params, { ...call, signal: AbortSignal.any([call.signal, stop.signal]) })
  } finally {
    off()
  }
}

async function mayAskToStay(
  parts: WorkerParts,
  { session, tab }: { session: string; tab: number },
  { signal, deadline }: Call,
): Promise<boolean> {
  try {
    const call = { session, place: { tab }, signal, deadline }
    const answer = await parts.documents.ask({ ...call, method: 'asks', params: {} })
    return answer?.ok === true && answer.value.likely
  } catch (error) {
    // What is wrong with the page, the act itself will tell.
    if (Failure.is(error)) return false
    throw error
  }
}

const waitingAct = async (tab: number): Promise<ActResult> => ({
  verdict: 'unconfirmed',
  effects: [],
  value: null,
  ...(await shownIn(tab)),
})

async function shownIn(tab: number): Promise<{ url: string; title: string }> {
  const { url = '', title = '' } = await browser.tabs.get(tab)
  return { url, title }
}

/** A question that was answered no is no sign that what the act was for has happened. */
function toldByAct(result: ActResult, dialogs: PageDialog[]): ActResult {
  const effects = [...new Set([...result.effects, 'dialog'])]
  const isYes = dialogs.every(({ answer }) => answer === 'accepted')
  const verdict = result.verdict === 'unconfirmed' && isYes ? 'confirmed' : result.verdict
  return { ...result, verdict, effects, dialogs }
}

export const dialogHandler =
  ({ sessions, dialogs }: WorkerParts): WireHandlers['page.dialog'] =>
  async ({ session, accept, text, policy }) => {
    if (accept !== null || policy === 'ask') needDebugger('dialogs')
    if (policy !== null) await dialogs.setPolicy(session, policy)
    const tab = await sessions.find(session)
    if (tab === null) {
      if (accept !== null) throw new Failure('no_dialog', { session })
      return { dialog: null, earlier: [], policy: await dialogs.policyOf(session) }
    }
    const dialog =
      accept === null ? dialogs.openIn(tab) : await dialogs.answer(session, tab, { accept, text })
    return { dialog, earlier: dialogs.takeEarlier(tab), policy: await dialogs.policyOf(session) }
  }
