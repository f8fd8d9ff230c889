import type { TrafficUpdate } from '../../shared/traffic.ts'
import type { WireEvent, WireEventData } from '../../shared/wire.ts'
import type { Beginnings } from './adoption.ts'
import { Captures } from './captures.ts'
import type { Debugger } from './debugger.ts'
import { FilteredBodies } from './filtered-bodies.ts'
import { Network } from './network.ts'
import { Observer } from './observer.ts'
import { lineOf } from './page-console.ts'
import { updateOf } from './page-traffic.ts'
import { Routes } from './routes.ts'
import type { Sessions } from './sessions.ts'
import type { SiteGate } from './site-gate.ts'
import { Traffic } from './traffic.ts'

/** Everything that sees or changes the requests of sessions. */
export interface Seeing {
  captures: Captures
  network: Network
  routes: Routes
  traffic: Traffic
  beginnings: Beginnings
  /** After this worker was started anew: goes on with what the former one did, but for operations, which have gone with it. */
  resume(): Promise<void>
}

/** @param emit sends one event; false when there is nobody to send it to */
export function openSeeing(
  { sessions, debug, gate }: { sessions: Sessions; debug: Debugger; gate: SiteGate },
  emit: <E extends WireEvent>(name: E, data: WireEventData<E>) => boolean,
): Seeing {
  const traffic = new Traffic(sessions, emit)
  const captures = new Captures(sessions, {
    entry: ({ session, tab, purposes }, entry) => {
      if (purposes.includes('operation')) emit('capture.entry', { session, entry })
      if (purposes.includes('network')) traffic.tell(session, updateOf(tab, entry))
    },
    line: ({ session, tab, purposes }, line) => {
      if (purposes.includes('network')) traffic.tellLine(session, lineOf(tab, line))
    },
  })
  const bodies = new FilteredBodies({
    keyOf: request => observer.keyOf(request),
    wanted: tab => network.pageCaptureOf(tab),
    tell: (session, update) => traffic.tell(session, update),
  })
  const network: Network = new Network({ sessions, captures, debug, traffic, bodies, gate })
  const routes = new Routes(sessions, debug)
  const observer = new Observer({
    heard: tab => network.heard(tab),
    report: (at, update) => void tellOf({ traffic, network, routes }, at, update),
  })
  const resume = async (): Promise<void> => {
    await Promise.all([captures.resume(), network.resume(), routes.resume()])
  }
  const seen = async (session: string, tab: number): Promise<void> => {
    await Promise.all([network.seen(session, tab, null), routes.seen(session, tab)])
  }
  const beginnings: Beginnings = {
    seen,
    of: async (session, url) => {
      const waits = await Promise.all([network.waitsFor(session, url), routes.has(session)])
      return waits.includes(true) ? tab => seen(session, tab) : null
    },
  }
  return { captures, network, routes, traffic, beginnings, resume }
}

/** The browser's own request events go to whom they concern. */
async function tellOf(
  { traffic, network, routes }: Pick<Seeing, 'traffic' | 'network' | 'routes'>,
  at: { tab: number } | { origin: string },
  update: TrafficUpdate,
): Promise<void> {
  if ('origin' in at) return await traffic.tellOfWorker(at.origin, update)
  const session = await traffic.tellOf(at.tab, update)
  const { begin } = update
  if (session === null || begin === undefined) return
  const isDocument = begin.kind === 'document' || begin.kind === 'frame'
  await network.seen(session, at.tab, isDocument ? begin.url : null)
  await routes.seen(session, at.tab)
}
