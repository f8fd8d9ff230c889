import { Failure } from '../../shared/failures.ts'
import type { ActResult, DialogPolicy, Hand, OpenedTab } from '../../shared/values.ts'
import type { WireHandlers } from '../../shared/wire.ts'
import type { AgentCall } from '../worker/documents.ts'
import { getTab } from '../worker/get-tab.ts'
import type { ActMethod, PageMethods } from '../worker/page-agent.ts'
import { watchStays } from '../worker/stays.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { changesElsewhere } from './frame-changes.ts'
import { frameOfTarget } from './target.ts'

interface Call {
  signal: AbortSignal
  deadline: number
  /** Fails with WouldAsk, and does nothing, where the page is likely to ask something. */
  unless_asks?: true
  /** The agent answers dialogs itself, since nobody else can. */
  dialogs?: DialogPolicy
}
type Rest = Pick<
  AgentCall<ActMethod>,
  'session' | 'place' | 'signal' | 'deadline' | 'unless_asks' | 'dialogs'
>

/** Nothing was done yet. */
export class WouldAsk extends Error {}

type Acting<M extends ActMethod> = { session: string; hand?: Hand | undefined } & PageMethods[M]['params']

/** Acts by the agent in the page, which asks for the browser's own input where its act needs that. */
export function actHandlers(parts: WorkerParts): Pick<WireHandlers, `page.${ActMethod}`> {
  const byAgent =
    <M extends ActMethod>(method: M) =>
    async ({ session, hand = 'auto', ...params }: Acting<M>, call: Call) =>
      // Without session and hand it is just what the agent takes.
      await act(
        parts,
        { ...(await restOf(parts, session, params.target, call)), hand },
        method,
        params as never,
      )
  return {
    'page.click': byAgent('click'),
    'page.focus': byAgent('focus'),
    'page.check': byAgent('check'),
    'page.select': byAgent('select'),
    'page.scroll': byAgent('scroll'),
    'page.hover': byAgent('hover'),
    'page.type': byAgent('type'),
    'page.press': byAgent('press'),
    'page.drag': byAgent('drag'),
    'page.upload': byAgent('upload'),
    'page.paste': byAgent('paste'),
  }
}

async function restOf(parts: WorkerParts, session: string, target: string | null, call: Call): Promise<Rest> {
  const tab = await parts.sessions.tabOf(session)
  return { session, place: { tab, frame: await frameOfTarget(parts, { session, tab }, target) }, ...call }
}

/** What a page may begin a download upon. */
const CLICKS = new Set<ActMethod>(['click', 'press'])

async function act<M extends ActMethod>(
  parts: WorkerParts,
  rest: Rest & { hand: Hand },
  method: M,
  params: PageMethods[M]['params'],
): Promise<ActResult> {
  const { tab, frame = 0 } = rest.place
  const hand = CLICKS.has(method) ? await parts.begun.handFor(tab, rest.hand) : rest.hand
  const watch = parts.acted.watch(tab)
  const opening = parts.adoption.watch(tab)
  const loan = parts.hands.lend({ ...rest, hand, tab, frame, opened: opening.opened })
  const unwatch = watchStays(tab, frame, instead => void tellStays(parts, rest, instead))
  try {
    const answer = await parts.documents.ask({ ...rest, hand, pass: loan.pass, method, params })
    if (answer === null) {
      const lost = await afterLoss(rest, method, await watch.acted())
      return withTabs({ ...lost, hand: loan.isUsed() ? 'cdp' : 'dom' }, await opening.opened())
    }
    if (!answer.ok) throw answer.asks ? new WouldAsk() : Failure.fromJSON(answer.failure)
    if (answer.value.effects.includes('download')) parts.begun.add(tab)
    const held = await openAll(parts, tab, answer.opens ?? [])
    const elsewhere = await changesElsewhere(parts, rest)
    const isAddressed = frame === 0 || /^https?:/.test(answer.value.url)
    const told = isAddressed ? answer.value : { ...answer.value, ...(await pageOf(tab, rest.session)) }
    return withTabs(withChanges(told, elsewhere), [...(await opening.opened()), ...held])
  } catch (error) {
    if (Failure.is(error, 'tab_gone') && (await watch.acted())) return CLOSED
    throw error
  } finally {
    unwatch()
    watch.end()
    opening.end()
    loan.end()
  }
}

async function tellStays(
  parts: WorkerParts,
  rest: Rest,
  instead: PageMethods['stays']['params']['instead'],
): Promise<void> {
  const { session, place, signal, deadline } = rest
  try {
    await parts.documents.ask({ session, place, signal, deadline, method: 'stays', params: { instead } })
  } catch (error) {
    // The page went away all the same, or the act is over.
    console.debug('the page was not told that it stays', error)
  }
}

/** The act closed its own tab, as a button of a popup does. */
const CLOSED: ActResult = { verdict: 'confirmed', effects: ['closed'], value: null, url: '', title: '' }

async function openAll(parts: WorkerParts, source: number, urls: readonly string[]): Promise<OpenedTab[]> {
  const opened = await Promise.all(urls.map(url => parts.adoption.open(source, url)))
  return opened.filter(tab => tab !== null)
}

const ELSEWHERE =
  'in the frame that was acted in nothing was seen to change; what others have changed meanwhile may come of it'

/** What was seen in other frames may be the act's doing or not: it is told, and no verdict hangs on it. */
function withChanges(result: ActResult, elsewhere: string): ActResult {
  if (elsewhere === '') return result
  const changes = [result.changes ?? '', elsewhere].filter(part => part !== '').join('\n')
  return result.verdict === 'unconfirmed' ? { ...result, changes, note: ELSEWHERE } : { ...result, changes }
}

/** A tab that came is an effect, whatever else was seen; then no note says that nothing was. */
function withTabs({ note, ...result }: ActResult, tabs: OpenedTab[]): ActResult {
  if (tabs.length === 0) return note === undefined ? result : { ...result, note }
  return { ...result, verdict: 'confirmed', effects: [...new Set([...result.effects, 'tab'])], tabs }
}

/** The document went away before it could answer: by the act itself, or before it. */
async function afterLoss({ place, session }: Rest, method: ActMethod, acted: boolean): Promise<ActResult> {
  if (!acted)
    throw new Failure('element_not_ready', {
      target: 'the element',
      reason: `the page was replaced before the ${method}`,
    })
  return { verdict: 'confirmed', effects: ['navigation'], value: null, ...(await pageOf(place.tab, session)) }
}

/** What the tab shows; that of a frame which has no address of its own, such as about:srcdoc, would name nothing. */
async function pageOf(tab: number, session: string): Promise<Pick<ActResult, 'url' | 'title'>> {
  const { url = '', title = '' } = await getTab(tab, session)
  return { url, title }
}
