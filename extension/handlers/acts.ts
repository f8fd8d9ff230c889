import { browser } from 'wxt/browser'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { ActResult } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { Send } from '../worker/debug-attachment.ts'
import type { AgentCall } from '../worker/documents.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import { trustedMove, trustedPress, trustedReplace } from '../worker/trusted-input.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { withChanges } from './changes.ts'
import { frameOfTarget } from './target.ts'

type ActMethod = 'click' | 'type' | 'press' | 'hover' | 'focus' | 'check' | 'select' | 'scroll'
interface Call {
  signal: AbortSignal
  deadline: number
}
type Rest = Pick<AgentCall<ActMethod>, 'session' | 'place' | 'signal' | 'deadline'>

/**
 * Acts by the agent in the page. Where that could not have had any effect, and where it can be known, the browser's
 * own input over the debugger does it instead; what may have had an effect is never done twice.
 */
export function actHandlers(parts: WorkerParts): Pick<WireHandlers, `page.${ActMethod}`> {
  const byAgent =
    <M extends ActMethod>(method: M) =>
    async ({ session, ...params }: { session: string } & PageMethods[M]['params'], call: Call) =>
      // Without the session it is just what the agent takes.
      await act(parts, await restOf(parts, session, params.target, call), method, params as never)
  return {
    'page.click': byAgent('click'),
    'page.focus': byAgent('focus'),
    'page.check': byAgent('check'),
    'page.select': byAgent('select'),
    'page.scroll': byAgent('scroll'),
    'page.hover': async ({ session, target }, call) => {
      const rest = await restOf(parts, session, target, call)
      const result = await act(parts, rest, 'hover', { target })
      // What style alone shows needs the browser's own pointer.
      const again = result.verdict === 'unconfirmed' && isMainFrame(rest) && parts.debug.available
      return again ? await withChanges(parts, rest, await hoverTrusted(parts, rest, target, result)) : result
    },
    'page.type': async ({ session, ...params }, call) => {
      const rest = await restOf(parts, session, params.target, call)
      const result = await act(parts, rest, 'type', params)
      // What stands in the field is not the text; to replace all of it once more is safe.
      const again = result.verdict === 'failed' && params.replace && isMainFrame(rest)
      return again && parts.debug.available
        ? await withChanges(parts, rest, await replaceTrusted(parts, rest, params, result))
        : result
    },
    'page.press': async ({ session, ...params }, call) => {
      const rest = await restOf(parts, session, params.target, call)
      const result = await act(parts, rest, 'press', params)
      const again = result.verdict === 'unconfirmed' && isMainFrame(rest) && !ACTIVATES.test(params.key)
      return again && parts.debug.available
        ? await withChanges(parts, rest, await pressTrusted(parts, rest, params.key, result))
        : result
    },
  }
}

/** Keys that send forms and press buttons: what they set off may be out of sight, and must not happen twice. */
const ACTIVATES = /^(.+\+)?(Enter|NumpadEnter|Space| )$/

const isMainFrame = ({ place }: Rest): boolean => (place.frame ?? 0) === 0

async function restOf(parts: WorkerParts, session: string, target: string | null, call: Call): Promise<Rest> {
  const tab = await parts.sessions.tabOf(session)
  return { session, place: { tab, frame: await frameOfTarget(parts, tab, target) }, ...call }
}

async function act<M extends ActMethod>(
  parts: WorkerParts,
  rest: Rest,
  method: M,
  params: PageMethods[M]['params'],
): Promise<ActResult> {
  const watch = parts.acted.watch(rest.place.tab)
  try {
    const answer = await parts.documents.ask({ ...rest, method, params })
    if (answer === null) return await afterLoss(rest, method, await watch.acted())
    if (!answer.ok) throw Failure.fromJSON(answer.failure)
    return answer.value
  } finally {
    watch.end()
  }
}

/** The document went away before it could answer: by the act itself, or before it. */
async function afterLoss({ place, session }: Rest, method: ActMethod, acted: boolean): Promise<ActResult> {
  if (!acted)
    throw new Failure('element_not_ready', {
      target: 'the element',
      reason: `the page was replaced before the ${method}`,
    })
  const { url, title } = await tabOf(place.tab, session)
  return { verdict: 'confirmed', effects: ['navigation'], value: null, url, title }
}

async function tabOf(tab: number, session: string): Promise<{ url: string; title: string }> {
  try {
    const { url, title } = await browser.tabs.get(tab)
    return { url: url ?? '', title: title ?? '' }
  } catch (cause) {
    throw new Failure('tab_gone', { session }, { cause })
  }
}

async function replaceTrusted(
  parts: WorkerParts,
  rest: Rest,
  params: PageMethods['type']['params'],
  before: ActResult,
): Promise<ActResult> {
  const { tab } = rest.place
  const typing = parts.debug.on(tab, async send => {
    await trustedReplace(send, params.text)
    if (params.submit) await trustedPress(send, 'Enter')
  })
  await orAborted(typing, rest.signal)
  const value = params.target === null ? null : await readValue(parts, rest, params.target)
  const { url, title } = await tabOf(tab, rest.session)
  const effects = [...new Set([...before.effects, 'value'])]
  if (value === params.text) return { verdict: 'confirmed', effects, value, url, title }
  return url === before.url
    ? { ...before, value }
    : { verdict: 'confirmed', effects: ['navigation'], value, url, title }
}

async function readValue(parts: WorkerParts, rest: Rest, target: string): Promise<string | null> {
  const answer = await parts.documents.ask({ ...rest, method: 'read', params: { target } })
  return answer?.ok ? (answer.value.value ?? answer.value.text) : null
}

async function hoverTrusted(
  parts: WorkerParts,
  rest: Rest,
  target: string,
  before: ActResult,
): Promise<ActResult> {
  const answer = await parts.documents.ask({ ...rest, method: 'read', params: { target } })
  if (!answer?.ok || answer.value.at === null) return before
  const { at } = answer.value
  return await seeTrusted(parts, rest, before, send => trustedMove(send, at))
}

/** Enough for what a key sets off at once. */
const AFTER_KEY_MS = 300

const pressTrusted = (parts: WorkerParts, rest: Rest, key: string, before: ActResult): Promise<ActResult> =>
  seeTrusted(parts, rest, before, send => trustedPress(send, key))

/** Gives the browser's own input and tells by what the page shows before and after whether it had an effect. */
async function seeTrusted(
  parts: WorkerParts,
  rest: Rest,
  before: ActResult,
  input: (send: Send) => Promise<void>,
): Promise<ActResult> {
  const { tab } = rest.place
  const seen = await look(parts, rest)
  await orAborted(parts.debug.on(tab, input), rest.signal)
  await new Promise(resolve => setTimeout(resolve, AFTER_KEY_MS))
  const now = await look(parts, rest)
  const { url, title } = await tabOf(tab, rest.session)
  if (url !== before.url) return { ...before, verdict: 'confirmed', effects: ['navigation'], url, title }
  return now === seen ? before : { ...before, verdict: 'confirmed', effects: ['dom'], url, title }
}

async function look(parts: WorkerParts, rest: Rest): Promise<string | null> {
  const answer = await parts.documents.ask({ ...rest, method: 'look', params: {} })
  return answer?.ok ? answer.value.mark : null
}
