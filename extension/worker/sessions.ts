import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import type { TabInfo } from '../../shared/values.ts'
import { quietWindow } from './quiet-window.ts'
import { type OwnTab, SessionBook, type SessionRecord } from './session-book.ts'
import { addressOf, parseAddress } from './tab-address.ts'
import { groupTab } from './tab-group.ts'
import { wake } from './waking.ts'

/**
 * Named sessions and the tabs that each owns: those that we opened, those that these opened, and those that the person
 * lent. Ownership is what the book says. Wherever a session is asked for, an address such as `work/t2` names one of
 * its tabs and its bare name the current one.
 */
export class Sessions {
  readonly #book = new SessionBook()
  readonly #opening = new Map<string, Promise<number>>()
  /** Tabs that were open and awake when the browser last told of them. */
  readonly #awake = new Set<number>()
  readonly #onTabClosed = new Set<(session: string, tab: number) => void>()

  constructor() {
    browser.tabs.onRemoved.addListener(tab => void this.#removed(tab))
    // A discarded or prerendered tab comes back under another id.
    browser.tabs.onReplaced?.addListener((added, removed) => void this.#replaced(added, removed))
    browser.tabs.onUpdated.addListener((tab, { frozen, discarded, url }) => {
      if (frozen || discarded) this.#awake.delete(tab)
      if (url !== undefined) void this.#moved(tab, url)
    })
  }

  /** Told when a person, or the site, closed a tab of a session. */
  onTabClosed(listener: (session: string, tab: number) => void): void {
    this.#onTabClosed.add(listener)
  }

  /** Strikes out the tabs that went away while the worker was dead. */
  async verify(): Promise<void> {
    const open = new Set((await browser.tabs.query({})).map(tab => tab.id))
    for (const { tabs } of Object.values(await this.#book.all()))
      for (const { tab } of Object.values(tabs)) if (!open.has(tab)) await this.#removed(tab)
  }

  /** Runs what uses the session, whose lease is renewed before and after, and does not end meanwhile. */
  async during<T>(session: string, work: () => Promise<T>): Promise<T> {
    await this.#book.renew(session)
    try {
      return await work()
    } finally {
      await this.#book.renew(session)
    }
  }

  /** For use now: it is woken where that is in our power. Fails with tab_gone. */
  async tabOf(address: string): Promise<number> {
    const found = await this.find(address)
    if (found === null) throw new Failure('tab_gone', { session: address })
    if (this.#awake.has(found)) return found
    if (await wake(await getTab(found, address))) this.#awake.add(found)
    // Waking may have replaced it.
    return (await this.find(address)) ?? found
  }

  async find(address: string): Promise<number | null> {
    return (await this.#own(address))?.own.tab ?? null
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

  /** Closes one tab, or gives it back where it is the person's; how many tabs were closed. Fails with tab_gone. */
  async closeTab(address: string): Promise<number> {
    const { session } = parseAddress(address)
    const owned = await this.#own(address)
    if (owned === null) throw new Failure('tab_gone', { session: address })
    await this.#book.strike(session, owned.id)
    return await dismiss(owned.own, session)
  }

  /** Closes the session's tabs, those lent given back, and forgets the session; how many tabs were closed. */
  async close(session: string): Promise<number> {
    const record = await this.#book.find(session)
    if (record === null) return 0
    await this.#book.forget(session)
    const closed = await Promise.all(Object.values(record.tabs).map(own => dismiss(own, session)))
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
    void groupTab(created.id, windowId)
    return created.id
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

/** Fails with tab_gone. */
async function getTab(tab: number, address: string): Promise<Browser.tabs.Tab> {
  try {
    return await browser.tabs.get(tab)
  } catch (cause) {
    // The only reason why a browser cannot give a tab is that there is none of this id.
    throw new Failure('tab_gone', { session: address }, { cause })
  }
}

function goneIsNull(error: unknown): null {
  if (Failure.is(error, 'tab_gone')) return null
  throw error
}

/** Closes a tab of ours; one that was lent stays as it is. How many tabs were closed. */
async function dismiss({ tab, lent }: OwnTab, session: string): Promise<number> {
  if (lent) return 0
  try {
    await browser.tabs.remove(tab)
    return 1
  } catch (error) {
    console.warn(`tab ${tab} of session ${session} was gone already`, error)
    return 0
  }
}

/** A window that is minimised must be brought back; one that is maximised stays so. */
async function restored(windowId: number): Promise<{ state?: 'normal' }> {
  return (await browser.windows.get(windowId)).state === 'minimized' ? { state: 'normal' } : {}
}
