import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { SessionInfo, TabInfo } from '../../shared/values.ts'
import type { Debugger } from './debugger.ts'
import { getTab } from './get-tab.ts'
import { Leases } from './leases.ts'
import { quietWindow } from './quiet-window.ts'
import { Refinding } from './refinding.ts'
import { LOST, type OwnTab, SessionBook, type SessionRecord } from './session-book.ts'
import { addressOf, parseAddress } from './tab-address.ts'
import { TabGroups } from './tab-group.ts'
import { wake } from './waking.ts'

/** A tab of the person. */
interface Stranger {
  tab: number
  url: string
  title: string
}

/**
 * Named sessions and the tabs that each owns: those that we opened, those that these opened, and those that the person
 * lent. Ownership is what the book says. Wherever a session is asked for, an address such as `work/t2` names one of
 * its tabs and its bare name the current one.
 */
export class Sessions {
  readonly #book = new SessionBook()
  readonly #debug: Debugger
  readonly #refinding = new Refinding(this.#book)
  readonly #leases = new Leases(this.#book, session => this.close(session))
  readonly #groups = new TabGroups(this.#book, {
    taken: tab => this.giveBack(tab),
    lent: (session, tab, url) => this.#book.enter(session, { tab, url, lent: true }, false),
  })
  readonly #opening = new Map<string, Promise<number>>()
  /** Tabs that were open and awake when the browser last told of them. */
  readonly #awake = new Set<number>()
  readonly #onEnded = new Set<(session: string) => Promise<void>>()
  readonly #onTabClosed = new Set<(session: string, tab: number) => void>()

  constructor(debug: Debugger) {
    this.#debug = debug
    browser.tabs.onRemoved.addListener(tab => void this.#removed(tab))
    // A discarded or prerendered tab comes back under another id.
    browser.tabs.onReplaced?.addListener((added, removed) => void this.#replaced(added, removed))
    browser.tabs.onUpdated.addListener((tab, { frozen, discarded, url }) => {
      if (frozen || discarded) this.#awake.delete(tab)
      if (url !== undefined) void this.#moved(tab, url)
    })
  }

  /** Told when a session is over; its end is answered when what listens is done. */
  onEnded(listener: (session: string) => Promise<void>): void {
    this.#onEnded.add(listener)
  }

  /** Told when a person, or the site, closed a tab of a session. */
  onTabClosed(listener: (session: string, tab: number) => void): void {
    this.#onTabClosed.add(listener)
  }

  /** Strikes out the tabs that went away while the worker was dead. */
  async verify(): Promise<void> {
    const open = new Set((await browser.tabs.query({})).map(tab => tab.id))
    for (const { own } of await this.#book.owners())
      if (own.tab !== LOST && !open.has(own.tab)) await this.#removed(own.tab)
  }

  /** Runs what uses the session, whose lease is renewed before and after, and does not end meanwhile. */
  during<T>(session: string, work: () => Promise<T>): Promise<T> {
    return this.#leases.during(session, work)
  }

  /** Ends the sessions whose lease is over. */
  enforceLeases(): Promise<void> {
    return this.#leases.enforce()
  }

  /** From now on the session ends when it is not used for so long. */
  async setLease(session: string, ms: number): Promise<SessionInfo> {
    const record = await this.#book.ensure(session)
    record.lease_ms = ms
    await this.#book.renew(session)
    await this.#book.save()
    return await this.#summary(session, record)
  }

  /** All sessions that own tabs, or did and are not over. */
  async sessions(): Promise<SessionInfo[]> {
    const all = Object.entries(await this.#book.all())
    return await Promise.all(all.map(([session, record]) => this.#summary(session, record)))
  }

  /** For use now: it is woken where that is in our power. Fails with tab_gone. */
  async tabOf(address: string): Promise<number> {
    const found = await this.find(address)
    if (found === null) throw new Failure('tab_gone', { session: address })
    if (this.#awake.has(found)) return found
    if (await wake(await getTab(found, address), this.#debug)) this.#awake.add(found)
    // Waking may have replaced it.
    return (await this.find(address)) ?? found
  }

  async find(address: string): Promise<number | null> {
    const owned = await this.#own(address)
    if (owned?.own.tab === LOST) await this.#refinding.found(owned)
    return owned === null || owned.own.tab === LOST ? null : owned.own.tab
  }

  /** The bare name of the session that owns the tab. */
  async sessionOf(tab: number): Promise<string | null> {
    return (await this.#book.ownerOf(tab))?.session ?? null
  }

  /** The tab meant, opened at `url` in the background when the session has none. Fails with tab_gone. */
  async open(address: string, url: string): Promise<{ tab: number; opened: boolean }> {
    const { session, id } = parseAddress(address)
    if (id !== null || (await this.find(session)) !== null)
      return { tab: await this.tabOf(address), opened: false }
    const other = this.#opening.get(session)
    if (other !== undefined) return { tab: await other, opened: false }
    const opening = this.#create(session, url)
    this.#opening.set(session, opening)
    try {
      return { tab: await opening, opened: true }
    } finally {
      this.#opening.delete(session)
    }
  }

  /** One more tab, in the background; it becomes the session's current one. */
  async add(address: string, url: string): Promise<number> {
    return await this.#create(parseAddress(address).session, url)
  }

  /** Takes a tab that one of the session's tabs has opened. Gives its id, also where it was taken before. */
  async adopt(session: string, tab: number, url: string): Promise<string> {
    const owner = await this.#book.ownerOf(tab)
    if (owner !== null) return owner.id
    const id = await this.#book.enter(session, { tab, url, lent: false }, false)
    void this.#groups.put(session, tab)
    return id
  }

  async info(address: string): Promise<TabInfo> {
    const tab = await this.tabOf(address)
    const owner = await this.#book.ownerOf(tab)
    // What was navigated was the current tab then; meanwhile another one may be.
    if (owner === null) throw new Failure('tab_gone', { session: address })
    return await this.#describe(owner.session, owner.id, owner.own)
  }

  async infoOfTab(tab: number): Promise<TabInfo> {
    const owner = await this.#book.ownerOf(tab)
    if (owner === null) throw new Failure('tab_gone', { session: `tab ${tab}` })
    return await this.#describe(owner.session, owner.id, owner.own)
  }

  async list(session: string): Promise<TabInfo[]> {
    const tabs = Object.entries((await this.#book.find(session))?.tabs ?? {})
    const known = tabs.map(([id, own]) => this.#describe(session, id, own).catch(goneIsNull))
    return (await Promise.all(known)).filter(info => info !== null)
  }

  /** From now on this tab is meant where none is named. Nothing is put in front. Fails with tab_gone. */
  async select(address: string): Promise<TabInfo> {
    const { session } = parseAddress(address)
    const owned = await this.#own(address)
    const record = await this.#book.find(session)
    if (owned === null || record === null) throw new Failure('tab_gone', { session: address })
    record.current = owned.id
    await this.#book.save()
    return await this.info(address)
  }

  /** Puts the tab in front, and its window too. Fails with tab_gone. */
  async show(address: string): Promise<TabInfo> {
    const tab = await this.tabOf(address)
    const { windowId } = await getTab(tab, address)
    await browser.tabs.update(tab, { active: true })
    await browser.windows.update(windowId, { focused: true, ...(await restored(windowId)) })
    return this.info(address)
  }

  /** Takes a tab of the person that they lent to the session; it becomes the current one. Nothing about it changes. */
  async attach(session: string, tab: number): Promise<TabInfo> {
    const owner = await this.#book.ownerOf(tab)
    if (owner !== null && owner.session !== session)
      throw new Failure('usage', {
        problem: `The tab belongs to session "${owner.session}" already.`,
        hint: 'Use that session, or end it first.',
      })
    const { url = '' } = await getTab(tab, session)
    if (owner === null) await this.#book.enter(session, { tab, url, lent: true }, true)
    return await this.infoOfTab(tab)
  }

  /** The person's tabs, those of no session, whose address or title fits. Private windows are left out. */
  async strangers(fits: (tab: { url: string; title: string }) => boolean): Promise<Stranger[]> {
    const owned = new Set((await this.#book.owners()).map(({ own }) => own.tab))
    return (await browser.tabs.query({})).flatMap(({ id, url = '', title = '', incognito }) =>
      id === undefined || incognito || owned.has(id) || !/^https?:/.test(url) || !fits({ url, title })
        ? []
        : [{ tab: id, url, title }],
    )
  }

  /** The person takes a tab back from whatever session has it: it stays open and is theirs. */
  async giveBack(tab: number): Promise<void> {
    const owner = await this.#book.ownerOf(tab)
    if (owner === null) return
    await this.#book.strike(owner.session, owner.id)
    for (const listener of this.#onTabClosed) listener(owner.session, tab)
  }

  /** Closes one tab, or gives it back where it is the person's; how many tabs were closed. Fails with tab_gone. */
  async closeTab(address: string): Promise<number> {
    const { session } = parseAddress(address)
    const owned = await this.#own(address)
    if (owned === null) throw new Failure('tab_gone', { session: address })
    await this.#book.strike(session, owned.id)
    return await this.#dismiss(owned.own, session)
  }

  /** Closes the session's tabs, those lent given back, and forgets the session; how many tabs were closed. */
  async close(session: string): Promise<number> {
    const record = await this.#book.find(session)
    if (record === null) return 0
    await this.#book.forget(session)
    const closed = await Promise.all(Object.values(record.tabs).map(own => this.#dismiss(own, session)))
    await Promise.all([...this.#onEnded].map(listener => listener(session)))
    return closed.reduce((sum, count) => sum + count, 0)
  }

  async #own(address: string): Promise<{ id: string; own: OwnTab } | null> {
    const { session, id } = parseAddress(address)
    const record = await this.#book.find(session)
    const wanted = id ?? record?.current ?? null
    const own = wanted === null ? undefined : record?.tabs[wanted]
    return wanted === null || own === undefined ? null : { id: wanted, own }
  }

  async #describe(session: string, id: string, { tab }: OwnTab): Promise<TabInfo> {
    const { url, title } = await getTab(tab, addressOf(session, id))
    const record: SessionRecord | null = await this.#book.find(session)
    return { tab, id, session, url: url ?? '', title: title ?? '', current: record?.current === id }
  }

  async #create(session: string, url: string): Promise<number> {
    const windowId = await quietWindow()
    const created = await browser.tabs.create({ url, active: false, windowId })
    if (created.id === undefined) throw new Failure('internal', { reason: 'the new tab has no id' })
    await this.#book.enter(session, { tab: created.id, url, lent: false }, true)
    void this.#groups.put(session, created.id)
    return created.id
  }

  /** Closes a tab of ours; one that was lent stays as it is. How many tabs were closed. */
  async #dismiss({ tab, lent, grouped }: OwnTab, session: string): Promise<number> {
    try {
      if (!lent) await browser.tabs.remove(tab)
      else if (grouped) await this.#groups.release(tab)
      return lent ? 0 : 1
    } catch (error) {
      console.warn(`tab ${tab} of session ${session} was gone already`, error)
      return 0
    }
  }

  async #summary(session: string, { lease_ms, until }: SessionRecord): Promise<SessionInfo> {
    return { session, tabs: await this.list(session), lease_ms, until }
  }

  async #moved(tab: number, url: string): Promise<void> {
    const owner = await this.#book.ownerOf(tab)
    if (owner === null || owner.own.url === url) return
    owner.own.url = url
    await this.#book.save()
  }

  async #removed(tab: number): Promise<void> {
    this.#awake.delete(tab)
    const owner = await this.#book.ownerOf(tab)
    if (owner === null) return
    await this.#book.strike(owner.session, owner.id)
    for (const listener of this.#onTabClosed) listener(owner.session, tab)
  }

  async #replaced(added: number, removed: number): Promise<void> {
    this.#awake.delete(removed)
    const owner = await this.#book.ownerOf(removed)
    if (owner === null) return
    owner.own.tab = added
    await this.#book.save()
  }
}

function goneIsNull(error: unknown): null {
  if (Failure.is(error, 'tab_gone')) return null
  throw error
}

/** A window that is minimised must be brought back; one that is maximised stays so. */
async function restored(windowId: number): Promise<{ state?: 'normal' }> {
  return (await browser.windows.get(windowId)).state === 'minimized' ? { state: 'normal' } : {}
}
