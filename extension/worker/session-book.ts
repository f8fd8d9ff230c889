import { browser } from 'wxt/browser'
import { z } from 'zod'
import { Keep } from './keep.ts'

const OwnTab = z.object({
  /** The browser's own id of the tab, which changes when the browser starts anew; LOST until it is found then. */
  tab: z.number().int(),
  /** What it showed last: by this it is found again. */
  url: z.string(),
  /** The person's own, who lent it: it is given back and never closed. */
  lent: z.boolean(),
  /** Whether it lies in the session's group: taken out of there it is the person's again. */
  grouped: z.boolean(),
})
export type OwnTab = z.infer<typeof OwnTab>

const SessionRecord = z.object({
  /** By id: t1, t2. An id is given once. */
  tabs: z.record(z.string(), OwnTab),
  /** The id of the tab that is meant when none is named; null while there is none. */
  current: z.string().nullable(),
  /** The number of the next id. */
  next: z.number().int(),
  lease_ms: z.number().int(),
  /** When the session ends unless it is used before, epoch ms. */
  until: z.number(),
  /** The group of tabs that shows it, and what that is called: persons rename groups. */
  group: z.number().int().nullable(),
  title: z.string(),
})
export type SessionRecord = z.infer<typeof SessionRecord>

export interface Owner {
  session: string
  id: string
  own: OwnTab
}

/** A session that nobody uses for so long is over. */
export const DEFAULT_LEASE_MS = 30 * 60_000
/** No tab has this id. */
export const LOST = -1

const RUN_MARK = 'browser_run'
/** A session that was kept over a start of worker or browser does not end before its tabs can have been found. */
const GRACE_MS = 60_000
/** A later end is written down when it is later by this share of the lease. */
const WORTH_WRITING = 0.05

/** Session → what it owns. This record alone says to whom a tab belongs. It outlives worker and browser. */
export class SessionBook {
  readonly #keep = new Keep('sessions', z.record(z.string(), SessionRecord), () => ({}), 'local')
  readonly #written = new Map<string, number>()
  #opened: Promise<Record<string, SessionRecord>> | null = null
  #startedAnew = false

  all(): Promise<Record<string, SessionRecord>> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  /** Whether the book is of an earlier run of the browser or the extension, so that its tabs have to be found again. */
  async startedAnew(): Promise<boolean> {
    await this.all()
    return this.#startedAnew
  }

  async find(session: string): Promise<SessionRecord | null> {
    return (await this.all())[session] ?? null
  }

  async ensure(session: string): Promise<SessionRecord> {
    const all = await this.all()
    all[session] ??= {
      ...{ tabs: {}, current: null, next: 1, lease_ms: DEFAULT_LEASE_MS, group: null },
      until: Date.now() + DEFAULT_LEASE_MS,
      title: session === 'default' ? 'unicli' : `unicli: ${session}`,
    }
    return all[session]
  }

  /** Puts off the end of a session that is used. */
  async renew(session: string): Promise<void> {
    const record = await this.find(session)
    if (record === null) return
    record.until = Date.now() + record.lease_ms
    const written = this.#written.get(session) ?? 0
    if (record.until - written < record.lease_ms * WORTH_WRITING) return
    this.#written.set(session, record.until)
    await this.save()
  }

  /** Which session has the tab, and under which id. */
  async ownerOf(tab: number): Promise<Owner | null> {
    return (await this.owners()).find(({ own }) => own.tab === tab) ?? null
  }

  async owners(): Promise<Owner[]> {
    return Object.entries(await this.all()).flatMap(([session, { tabs }]) =>
      Object.entries(tabs).map(([id, own]) => ({ session, id, own })),
    )
  }

  /** Enters a tab and gives its id; it becomes the current one where there is none, or where that is wanted. */
  async enter(session: string, own: Omit<OwnTab, 'grouped'>, makeCurrent: boolean): Promise<string> {
    const record = await this.ensure(session)
    const id = `t${record.next++}`
    record.tabs[id] = { ...own, grouped: false }
    if (makeCurrent || record.current === null) record.current = id
    await this.save()
    return id
  }

  /** Strikes a tab out; the one that was entered last is then the current one. */
  async strike(session: string, id: string): Promise<void> {
    const record = await this.find(session)
    if (record === null) return
    delete record.tabs[id]
    if (record.current === id) record.current = Object.keys(record.tabs).at(-1) ?? null
    await this.save()
  }

  async forget(session: string): Promise<void> {
    const all = await this.all()
    delete all[session]
    this.#written.delete(session)
    await this.save()
  }

  save(): Promise<void> {
    return this.#keep.save()
  }

  async #open(): Promise<Record<string, SessionRecord>> {
    const [all, mark] = await Promise.all([this.#keep.get(), browser.storage.session.get(RUN_MARK)])
    this.#startedAnew = mark[RUN_MARK] === undefined
    if (this.#startedAnew) await browser.storage.session.set({ [RUN_MARK]: true })
    const grace = Date.now() + GRACE_MS
    for (const record of Object.values(all)) record.until = Math.max(record.until, grace)
    return all
  }
}
