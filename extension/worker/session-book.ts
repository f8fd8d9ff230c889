import { z } from 'zod'
import { Keep } from './keep.ts'

const OwnTab = z.object({
  /** The browser's own id of the tab, which changes when the browser starts anew. */
  tab: z.number().int(),
  /** What it showed last: by this it is found again. */
  url: z.string(),
  /** The person's own, who lent it: it is given back and never closed. */
  lent: z.boolean(),
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
})
export type SessionRecord = z.infer<typeof SessionRecord>

const Book = z.record(z.string(), SessionRecord)

/** A session that nobody uses for so long is over. */
export const DEFAULT_LEASE_MS = 30 * 60_000

/** Session → what it owns. This record alone says to whom a tab belongs. */
export class SessionBook {
  readonly #keep = new Keep('sessions', Book, () => ({}))

  all(): Promise<Record<string, SessionRecord>> {
    return this.#keep.get()
  }

  async find(session: string): Promise<SessionRecord | null> {
    return (await this.all())[session] ?? null
  }

  async ensure(session: string): Promise<SessionRecord> {
    const all = await this.all()
    const fresh = { tabs: {}, current: null, next: 1, lease_ms: DEFAULT_LEASE_MS }
    all[session] ??= { ...fresh, until: Date.now() + DEFAULT_LEASE_MS }
    return all[session]
  }

  /** Which session has the tab, and under which id. */
  async ownerOf(tab: number): Promise<{ session: string; id: string; own: OwnTab } | null> {
    for (const [session, { tabs }] of Object.entries(await this.all()))
      for (const [id, own] of Object.entries(tabs)) if (own.tab === tab) return { session, id, own }
    return null
  }

  /** Puts off the end of a session that is used. */
  async renew(session: string): Promise<void> {
    const record = await this.find(session)
    if (record !== null) record.until = Date.now() + record.lease_ms
  }

  /** Enters a tab and gives its id; it becomes the current one where there is none, or where that is wanted. */
  async enter(session: string, own: OwnTab, makeCurrent: boolean): Promise<string> {
    const record = await this.ensure(session)
    const id = `t${record.next++}`
    record.tabs[id] = own
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
    await this.save()
  }

  save(): Promise<void> {
    return this.#keep.save()
  }
}
