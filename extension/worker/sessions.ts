import { type Browser, browser } from 'wxt/browser'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { TabInfo } from '../../shared/values.ts'
import { Keep } from './keep.ts'
import { groupTab, thaw } from './tab-group.ts'

const Kept = z.record(z.string(), z.object({ tab: z.number().int() }))

/**
 * Named sessions and the tab that each owns: the tabs that we opened, and no others. Ownership is what this
 * record says, never derived from a tab's place, title or group. It outlives the worker.
 */
export class Sessions {
  readonly #keep = new Keep('sessions', Kept, () => ({}))
  readonly #opening = new Map<string, Promise<number>>()
  /** Tabs that were open and awake when the browser last told of them. */
  readonly #awake = new Set<number>()
  readonly #onTabClosed = new Set<(session: string, tab: number) => void>()

  constructor() {
    browser.tabs.onRemoved.addListener(tab => void this.#removed(tab))
    // A discarded or prerendered tab comes back under another id.
    browser.tabs.onReplaced?.addListener((added, removed) => void this.#replaced(added, removed))
    browser.tabs.onUpdated.addListener((tab, { frozen, discarded }) => {
      if (frozen || discarded) this.#awake.delete(tab)
    })
  }

  /** Told when a person, or the site, closed the tab of a session. */
  onTabClosed(listener: (session: string, tab: number) => void): void {
    this.#onTabClosed.add(listener)
  }

  /** Forgets the sessions whose tab went away while the worker was dead. */
  async verify(): Promise<void> {
    const sessions = await this.#keep.get()
    const open = new Set((await browser.tabs.query({})).map(tab => tab.id))
    for (const { tab } of Object.values(sessions)) if (!open.has(tab)) await this.#removed(tab)
  }

  /** For use now: it is woken where that is in our power. Fails with tab_gone. */
  async tabOf(session: string): Promise<number> {
    const found = await this.find(session)
    if (found === null) throw new Failure('tab_gone', { session })
    if (this.#awake.has(found)) return found
    const tab = await getTab(found, session)
    await thaw(tab)
    if (!tab.frozen && !tab.discarded) this.#awake.add(found)
    return found
  }

  async find(session: string): Promise<number | null> {
    return (await this.#keep.get())[session]?.tab ?? null
  }

  async sessionOf(tab: number): Promise<string | null> {
    const sessions = await this.#keep.get()
    return Object.entries(sessions).find(([, kept]) => kept.tab === tab)?.[0] ?? null
  }

  /** The session's tab, opened at `url` in the background when there is none. */
  async open(session: string, url: string): Promise<{ tab: number; opened: boolean }> {
    if ((await this.find(session)) !== null) return { tab: await this.tabOf(session), opened: false }
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

  async info(session: string): Promise<TabInfo> {
    const tab = await this.tabOf(session)
    const { url, title } = await getTab(tab, session)
    return { tab, session, url: url ?? '', title: title ?? '' }
  }

  async list(session: string): Promise<TabInfo[]> {
    return (await this.find(session)) === null ? [] : [await this.info(session)]
  }

  /** Puts the session's tab in front, and its window too. Fails with tab_gone. */
  async show(session: string): Promise<TabInfo> {
    const tab = await this.tabOf(session)
    const { windowId } = await getTab(tab, session)
    await browser.tabs.update(tab, { active: true })
    await browser.windows.update(windowId, { focused: true, ...(await restored(windowId)) })
    return this.info(session)
  }

  /** Closes the session's tab and forgets the session; how many tabs were closed. */
  async close(session: string): Promise<number> {
    const tab = await this.find(session)
    if (tab === null) return 0
    await this.#forget(session)
    try {
      await browser.tabs.remove(tab)
      return 1
    } catch (error) {
      console.warn(`tab ${tab} of session ${session} was gone already`, error)
      return 0
    }
  }

  async #create(session: string, url: string): Promise<number> {
    const windowId = await quietWindow()
    const created = await browser.tabs.create({ url, active: false, windowId })
    if (created.id === undefined) throw new Failure('internal', { reason: 'the new tab has no id' })
    const sessions = await this.#keep.get()
    sessions[session] = { tab: created.id }
    await this.#keep.save()
    void groupTab(created.id, windowId)
    return created.id
  }

  async #forget(session: string): Promise<void> {
    const sessions = await this.#keep.get()
    delete sessions[session]
    await this.#keep.save()
  }

  async #removed(tab: number): Promise<void> {
    this.#awake.delete(tab)
    const session = await this.sessionOf(tab)
    if (session === null) return
    await this.#forget(session)
    for (const listener of this.#onTabClosed) listener(session, tab)
  }

  async #replaced(added: number, removed: number): Promise<void> {
    this.#awake.delete(removed)
    const sessions = await this.#keep.get()
    const kept = Object.values(sessions).find(({ tab }) => tab === removed)
    if (kept === undefined) return
    kept.tab = added
    await this.#keep.save()
  }
}

/** Fails with tab_gone. */
async function getTab(tab: number, session: string): Promise<Browser.tabs.Tab> {
  try {
    return await browser.tabs.get(tab)
  } catch (cause) {
    // The only reason why a browser cannot give a tab is that there is none of this id.
    throw new Failure('tab_gone', { session }, { cause })
  }
}

/** A window that is minimised must be brought back; one that is maximised stays so. */
async function restored(windowId: number): Promise<{ state?: 'normal' }> {
  return (await browser.windows.get(windowId)).state === 'minimized' ? { state: 'normal' } : {}
}

/** The window that the person used last, private ones left out; a new one, behind, when there is none. */
async function quietWindow(): Promise<number> {
  const windows = await browser.windows.getAll({ windowTypes: ['normal'] })
  const usable = windows.filter(({ id, incognito }) => id !== undefined && !incognito)
  const last = await lastFocused()
  const chosen = usable.find(({ id }) => id === last) ?? usable[0]
  if (chosen?.id !== undefined) return chosen.id
  const opened = await browser.windows.create({ url: 'about:blank', state: 'minimized' })
  if (opened?.id === undefined) throw new Failure('internal', { reason: 'no window could be opened' })
  return opened.id
}

async function lastFocused(): Promise<number | null> {
  try {
    return (await browser.windows.getLastFocused()).id ?? null
  } catch (error) {
    console.warn('no window was focused yet', error)
    return null
  }
}
