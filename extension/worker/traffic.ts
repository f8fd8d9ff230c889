import { browser } from 'wxt/browser'
import type { ConsoleLine, TrafficUpdate } from '../../shared/traffic.ts'
import { type Emit, Outbox } from './outbox.ts'
import type { Sessions } from './sessions.ts'

/** A new tab is known to the browser before the session that opens it can say that it is its own. */
const NEW_FOR_MS = 3000
const HELD_OF_NEW = 500
/** So long it is believed who shows an origin. */
const OWNER_FOR_MS = 1000

/**
 * Where everything that is seen of requests comes together: what belongs to a tab of a session goes to the
 * companion, all else is forgotten at once.
 */
export class Traffic {
  readonly #sessions: Sessions
  readonly #emit: Emit
  readonly #outboxes = new Map<string, Outbox>()
  readonly #owners = new Map<string, { session: Promise<string | null>; until: number }>()
  readonly #new = new Map<number, TrafficUpdate[]>()

  constructor(sessions: Sessions, emit: Emit) {
    this.#sessions = sessions
    this.#emit = emit
    // Whose tabs show an origin is another's question from then on.
    sessions.onEnded(async () => this.#owners.clear())
    browser.tabs.onCreated.addListener(({ id }) => {
      if (id !== undefined) this.#expect(id)
    })
  }

  /** Of a session's own tab, as its capture knows. */
  tell(session: string, update: TrafficUpdate): void {
    this.#outboxOf(session).put(update)
  }

  tellLine(session: string, line: ConsoleLine): void {
    this.#outboxOf(session).putLine(line)
  }

  /** Of any tab; only what a session owns is told. Gives that session. */
  async tellOf(tab: number, update: TrafficUpdate): Promise<string | null> {
    const session = await this.#sessions.sessionOf(tab)
    const early = this.#new.get(tab)
    if (session === null) {
      if (early !== undefined && early.length < HELD_OF_NEW) early.push(update)
      return null
    }
    this.#release(tab, session)
    this.tell(session, update)
    return session
  }

  /**
   * Of a worker that several tabs may share: told where all tabs that show its origin are of one session, since it
   * may have been for the person's own tab otherwise.
   */
  async tellOfWorker(origin: string, update: TrafficUpdate): Promise<void> {
    if (!/^https?:/.test(origin)) return
    const known = this.#owners.get(origin)
    const session = known !== undefined && known.until > Date.now() ? known.session : this.#ownerOf(origin)
    if (known?.session !== session) this.#owners.set(origin, { session, until: Date.now() + OWNER_FOR_MS })
    const owner = await session
    if (owner !== null) this.tell(owner, update)
  }

  async #ownerOf(origin: string): Promise<string | null> {
    const { protocol, hostname } = new URL(origin)
    const tabs = await browser.tabs.query({ url: `${protocol}//${hostname}/*` })
    const owners = await Promise.all(tabs.map(({ id }) => this.#sessions.sessionOf(id ?? -1)))
    const [first = null] = owners
    return owners.every(owner => owner === first) ? first : null
  }

  /** Sends what waited for the link. */
  flush(): void {
    for (const outbox of this.#outboxes.values()) outbox.flush()
  }

  #expect(tab: number): void {
    this.#new.set(tab, [])
    setTimeout(() => void this.#settle(tab), NEW_FOR_MS)
  }

  async #settle(tab: number): Promise<void> {
    const session = await this.#sessions.sessionOf(tab)
    if (session !== null) this.#release(tab, session)
    this.#new.delete(tab)
  }

  #release(tab: number, session: string): void {
    const early = this.#new.get(tab)
    if (early === undefined) return
    for (const update of early.splice(0)) this.tell(session, update)
  }

  #outboxOf(session: string): Outbox {
    const known = this.#outboxes.get(session)
    if (known !== undefined) return known
    const outbox = new Outbox(session, this.#emit)
    this.#outboxes.set(session, outbox)
    return outbox
  }
}
