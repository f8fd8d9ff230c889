import { browser } from 'wxt/browser'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { ConsoleLine } from '../../shared/traffic.ts'
import type { Captures } from './captures.ts'
import type { Debugger, Hold } from './debugger.ts'
import { DebuggerConsole } from './debugger-console.ts'
import type { Heard } from './debugger-heard.ts'
import { DebuggerTraffic } from './debugger-traffic.ts'
import type { FilteredBodies } from './filtered-bodies.ts'
import { Keep } from './keep.ts'
import { needDebugger } from './need-debugger.ts'
import { hasRequestEvents } from './observer.ts'
import { browserIdentity } from './profile.ts'
import type { Sessions } from './sessions.ts'
import type { SiteGate } from './site-gate.ts'
import { parseAddress } from './tab-address.ts'
import type { Traffic } from './traffic.ts'

const Capturing = z.object({ source: z.enum(['debugger', 'page']), max_body: z.number() })
type Capturing = z.infer<typeof Capturing>
const Kept = z.record(z.string(), Capturing)

/** What holds where nobody has asked for more. */
const standing = (): Capturing | undefined =>
  hasRequestEvents() ? undefined : { source: 'debugger', max_body: 32 * 1024 * 1024 }

interface Listening {
  session: string
  ready: Promise<Hold[]>
  isReady: boolean
  heard: Heard
}

export interface NetworkParts {
  sessions: Sessions
  captures: Captures
  debug: Debugger
  traffic: Traffic
  bodies: FilteredBodies
  gate: SiteGate
}

/**
 * The sessions of which more is told than the browser tells of all: bodies and frames, by the debugger in their tabs
 * or by the hook in their pages; and what documents write to their console.
 */
export class Network {
  readonly #parts: NetworkParts
  readonly #keep = new Keep('network', Kept, () => ({}))
  /** By tab. */
  readonly #listening = new Map<number, Listening>()

  constructor(parts: NetworkParts) {
    this.#parts = parts
    browser.tabs.onRemoved.addListener(tab => void this.#listening.delete(tab))
    parts.sessions.onTabClosed((_, tab) => void this.#leave(tab))
    parts.sessions.onEnded(async session => {
      await this.stop(session)
    })
  }

  /** What the debugger has told of the tab's requests; null for tabs of which it does not tell. */
  heard(tab: number): Heard | null {
    const listening = this.#listening.get(tab)
    // Until it is on, the browser alone sees what the tab asks for.
    return listening?.isReady === true ? listening.heard : null
  }

  /** Fails with unsupported where the debugger is asked for and cannot be had. */
  async start(
    address: string,
    asked: 'auto' | 'debugger' | 'page',
    maxBody: number,
  ): Promise<{ source: 'debugger' | 'page'; reason: string | null }> {
    const { session } = parseAddress(address)
    const reason = asked === 'page' ? null : await this.#debugged(session, maxBody)
    if (reason !== null && asked === 'debugger')
      throw new Failure('unsupported', {
        what: 'Capture by the debugger',
        where: reason,
        hint: this.#parts.debug.available
          ? 'Use source "page", or close what else debugs the tab.'
          : 'Use source "page", or leave it out.',
      })
    if (asked !== 'page' && reason === null) return { source: 'debugger', reason: null }
    await this.#note(session, { source: 'page', max_body: maxBody })
    for (const { url } of await this.#parts.sessions.list(session)) await this.#watchPage(session, url)
    return { source: 'page', reason }
  }

  async stop(address: string): Promise<'debugger' | 'page' | null> {
    const { session } = parseAddress(address)
    const kept = await this.#keep.get()
    const was = kept[session]?.source ?? null
    delete kept[session]
    await this.#save(kept)
    for (const [tab, { session: owner }] of this.#listening) if (owner === session) await this.#leave(tab)
    await this.#parts.captures.stop(session, 'network')
    return was
  }

  /** To be called before the session's tab is sent to an address: what is captured is so from its first request on. */
  async ready(address: string, url: string): Promise<void> {
    const { session } = parseAddress(address)
    const capturing = (await this.#keep.get())[session] ?? standing()
    if (capturing === undefined) return
    if (capturing.source === 'page') {
      await this.#watchPage(session, url)
      // Known as the session's own before its first request: else that would pass unread.
      if (this.#parts.bodies.available) await this.#parts.sessions.open(address, 'about:blank')
      return
    }
    const { tab } = await this.#parts.sessions.open(address, 'about:blank')
    await this.#listen(tab, session, capturing.max_body).ready
  }

  /** Whether a tab that is to open this address has to be `seen` before it does. */
  async waitsFor(session: string, url: string): Promise<boolean> {
    const capturing = (await this.#keep.get())[session] ?? standing()
    if (capturing?.source === 'page') await this.#watchPage(session, url)
    return capturing?.source === 'debugger'
  }

  /** A tab of a session shows itself, perhaps one that came by itself, or after this worker was started anew. */
  async seen(session: string, tab: number, document: string | null): Promise<void> {
    const capturing = (await this.#keep.get())[session] ?? standing()
    if (capturing === undefined) return
    if (capturing.source === 'page') {
      if (document !== null) await this.#watchPage(session, document)
    } else if (!this.#listening.has(tab))
      await this.#listen(tab, session, capturing.max_body).ready.catch(error =>
        console.warn(`the debugger could not be put on tab ${tab}`, error),
      )
  }

  /** Of whose tab bodies are wanted that no debugger reads. */
  async pageCaptureOf(tab: number): Promise<{ session: string; max_body: number } | null> {
    const session = await this.#parts.sessions.sessionOf(tab)
    const capturing = session === null ? undefined : (await this.#keep.get())[session]
    if (session === null || capturing?.source !== 'page') return null
    return { session, max_body: capturing.max_body }
  }

  /** After this worker was started anew. */
  async resume(): Promise<void> {
    this.#turnBodies(await this.#keep.get())
    for (const session of Object.keys(await this.#keep.get()))
      for (const { tab } of await this.#parts.sessions.list(session)) await this.seen(session, tab, null)
  }

  /**
   * Everything that the session's documents have written so far and that nobody has told yet. Fails with tab_gone, and
   * with unsupported where nobody has listened and no debugger can be asked.
   */
  async console(address: string): Promise<{ lines: ConsoleLine[]; source: 'debugger' | 'page' }> {
    const { sessions, captures, debug, traffic } = this.#parts
    const tab = await sessions.tabOf(address)
    const capturing = (await this.#keep.get())[parseAddress(address).session]
    if (this.#listening.has(tab) || (capturing?.source === 'page' && (await captures.told(tab)))) {
      traffic.flush()
      return { lines: [], source: this.#listening.has(tab) ? 'debugger' : 'page' }
    }
    needDebugger('console')
    const lines: ConsoleLine[] = []
    const listener = new DebuggerConsole(tab, line => lines.push(line))
    const hold = await debug.hold(tab, listener)
    await listener.told()
    hold.release()
    return { lines, source: 'debugger' }
  }

  /** Null when the debugger tells from now on; else why it cannot. */
  async #debugged(session: string, maxBody: number): Promise<string | null> {
    const { sessions, debug } = this.#parts
    if (!debug.available) return browserIdentity().name
    try {
      const tabs = await sessions.list(session)
      await Promise.all(tabs.map(({ tab }) => this.#listen(tab, session, maxBody).ready))
    } catch (error) {
      if (!Failure.is(error, 'unsupported')) throw error
      return error.params.where
    }
    await this.#note(session, { source: 'debugger', max_body: maxBody })
    return null
  }

  #listen(tab: number, session: string, maxBody: number): Listening {
    const known = this.#listening.get(tab)
    if (known !== undefined) return known
    const { debug, traffic } = this.#parts
    const requests = new DebuggerTraffic({
      tab,
      maxBody,
      tell: update => traffic.tell(session, update),
      onLost: () => this.#listening.delete(tab),
    })
    const written = new DebuggerConsole(tab, line => traffic.tellLine(session, line))
    const ready = Promise.all([requests, written].map(holder => debug.hold(tab, holder)))
    const listening = { session, ready, isReady: false, heard: requests.heard }
    this.#listening.set(tab, listening)
    ready.then(
      () => {
        listening.isReady = true
        void written.told()
      },
      () => this.#listening.delete(tab),
    )
    return listening
  }

  async #leave(tab: number): Promise<void> {
    const listening = this.#listening.get(tab)
    this.#listening.delete(tab)
    for (const hold of (await listening?.ready) ?? []) hold.release()
  }

  async #note(session: string, capturing: Capturing): Promise<void> {
    const kept = await this.#keep.get()
    if (kept[session]?.source !== capturing.source) await this.stop(session)
    kept[session] = capturing
    await this.#save(kept)
  }

  async #save(kept: z.infer<typeof Kept>): Promise<void> {
    this.#turnBodies(kept)
    await this.#keep.save()
  }

  #turnBodies(kept: z.infer<typeof Kept>): void {
    this.#parts.bodies.turn(Object.values(kept).some(({ source }) => source === 'page'))
  }

  async #watchPage(session: string, url: string): Promise<void> {
    if (!/^https?:/.test(url)) return
    const { origin } = new URL(url)
    // A page leads where it likes; our script goes only where the person lets the session go.
    if (this.#parts.gate.hasNamed(session, origin)) await this.#parts.captures.watch(session, origin)
  }
}
