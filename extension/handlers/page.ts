import { limitedTo } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { STATE_WIRE } from '../../shared/state-wire.ts'
import type { WireHandlers, WireMethod } from '../../shared/wire.ts'
import { navigate } from '../worker/navigation.ts'
import type { PageMethods } from '../worker/page-agent.ts'
import { parseAddress } from '../worker/tab-address.ts'
import type { WorkerParts } from '../worker/worker.ts'
import { actHandlers } from './acts.ts'
import { askingActs, askingEvaluate, askingNavigate, dialogHandler } from './dialogs.ts'
import { evaluateHandler } from './evaluate.ts'
import { findHandler } from './find.ts'
import { printHandler } from './print.ts'
import { screenshotHandler } from './screenshot.ts'
import { snapshotHandler } from './snapshot.ts'
import { frameOfTarget } from './target.ts'
import { waitHandler } from './wait.ts'

type PageMethod = Exclude<Extract<WireMethod, `page.${string}`>, keyof typeof STATE_WIRE>

export const pageHandlers = (parts: WorkerParts): Pick<WireHandlers, PageMethod> => ({
  ...askingActs(parts, actHandlers(parts)),
  'page.navigate': askingNavigate(parts, async (params, call) => {
    const shown = await navigate(parts.sessions, params, call.signal, await readied(parts, params))
    void prepare(parts, params.session, call.granted)
    return shown
  }),
  'page.evaluate': askingEvaluate(parts, evaluateHandler(parts)),
  'page.dialog': dialogHandler(parts),
  'page.print': printHandler(parts),
  'page.stash': ({ session, ...piece }, call) => read(parts, session, 'stash', piece, call),
  'page.snapshot': snapshotHandler(parts),
  'page.find': findHandler(parts),
  'page.screenshot': screenshotHandler(parts),
  'page.wait': waitHandler(parts),
  'page.html': ({ session, target }, call) => read(parts, session, 'html', { target }, call),
  'page.storage': ({ session }, call) => read(parts, session, 'storage', {}, call),
})

/** Gives what is left to be done with the tab, where that is a new one. */
async function readied(
  { network, routes, beginnings }: WorkerParts,
  { session, url, new_tab: isNew = false }: { session: string; url: string; new_tab?: boolean | undefined },
): Promise<((tab: number) => Promise<void>) | null> {
  if (isNew) return await beginnings.of(parseAddress(session).session, url)
  await network.ready(session, url)
  await routes.ready(session)
  return null
}

const PREPARE_MS = 5000

/** Whoever navigates looks or acts next: by then the agent is there, and knows what changes by itself. */
async function prepare(parts: WorkerParts, session: string, granted: readonly string[] = []): Promise<void> {
  const call = { session, ...limitedTo(PREPARE_MS) }
  // By the grant of the navigation, which is over by now; elsewhere it may not look.
  const leave = parts.gate.enter({ session, granted, repeats: false })
  try {
    const place = { tab: await parts.sessions.tabOf(session) }
    await parts.documents.ask({ ...call, place, method: 'prepare', params: {} })
  } catch (error) {
    // The page shows something that nobody may look into, or has gone on: the next call will tell.
    console.debug('the page was not prepared', error)
  } finally {
    leave()
  }
}

async function read<M extends 'html' | 'storage' | 'stash'>(
  parts: WorkerParts,
  session: string,
  method: M,
  params: PageMethods[M]['params'] & { target?: string | null },
  call: { signal: AbortSignal; deadline: number },
): Promise<PageMethods[M]['result']> {
  const tab = await parts.sessions.tabOf(session)
  const place = { tab, frame: await frameOfTarget(parts, { session, tab }, params.target ?? null) }
  const answer = await parts.documents.ask({ session, place, method, params, ...call })
  if (answer === null) throw new Failure('navigation_failed', { url: 'the page', reason: 'it was replaced' })
  if (!answer.ok) throw Failure.fromJSON(answer.failure)
  return answer.value
}
