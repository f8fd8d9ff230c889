import { browser } from 'wxt/browser'
import type { SessionBook } from './session-book.ts'

const COLOURS = ['blue', 'cyan', 'green', 'orange', 'purple', 'pink', 'yellow', 'red'] as const
/** What the browser itself puts beside the tab that opened it, it does at once. */
const BORN_MS = 1000

export interface GroupChange {
  /** A person took the tab out of its session's group. */
  taken: (tab: number) => Promise<void>
  /** A person put a tab of their own into the group of a session. */
  lent: (session: string, tab: number, url: string) => Promise<string>
}

/**
 * One group of tabs for each session, with its name and a colour, where a browser has groups. It shows what a session
 * owns, and by it a person takes a tab back or lends one. It is left open: Chromium freezes what is in a collapsed one.
 */
export class TabGroups {
  readonly #book: SessionBook
  readonly #change: GroupChange
  readonly #born = new Map<number, number>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(book: SessionBook, change: GroupChange) {
    this.#book = book
    this.#change = change
    if (browser.tabGroups === undefined) return
    browser.tabs.onCreated.addListener(({ id }) => void (id !== undefined && this.#born.set(id, Date.now())))
    browser.tabs.onRemoved.addListener(tab => void this.#born.delete(tab))
    browser.tabs.onUpdated.addListener((tab, changed) => {
      // Typings give groups to the tab only.
      if ('groupId' in changed) void this.#inTurn(() => this.#regrouped(tab))
    })
    browser.tabGroups.onUpdated.addListener(({ id, title }) => void this.#renamed(id, title))
  }

  /** Puts a tab into the group of its session. */
  async put(session: string, tab: number): Promise<void> {
    if (browser.tabGroups === undefined || browser.tabs.group === undefined) return
    await this.#inTurn(() => this.#put(session, tab))
  }

  /** Takes a tab out again that is given back. */
  async release(tab: number): Promise<void> {
    if (browser.tabs.ungroup !== undefined) await browser.tabs.ungroup(tab)
  }

  async #put(session: string, tab: number): Promise<void> {
    const record = await this.#book.find(session)
    const owner = await this.#book.ownerOf(tab)
    if (record === null || owner === null) return
    const { windowId } = await browser.tabs.get(tab)
    if ((await browser.windows.get(windowId)).type !== 'normal') return
    const window = record.group === null ? null : await windowOfGroup(record.group)
    // Of a session with tabs in several windows those in one are shown together.
    if (record.group !== null && window !== null && window !== windowId) return
    if (record.group !== null && window === windowId)
      await browser.tabs.group({ tabIds: tab, groupId: record.group })
    else {
      record.group = await browser.tabs.group({ tabIds: tab, createProperties: { windowId } })
      await browser.tabGroups.update(record.group, { title: record.title, color: colourOf(session) })
    }
    owner.own.grouped = true
    await this.#book.save()
  }

  async #regrouped(tab: number): Promise<void> {
    const { groupId = -1, url = '' } = await browser.tabs.get(tab)
    const owner = await this.#book.ownerOf(tab)
    if (owner === null) return await this.#joined(tab, groupId, url)
    const record = await this.#book.find(owner.session)
    if (record === null || !owner.own.grouped || groupId === record.group) return
    // A whole group that is moved to another window may become another group, of the same name.
    if (groupId >= 0 && (await browser.tabGroups.get(groupId)).title === record.title) {
      record.group = groupId
      await this.#book.save()
    } else await this.#change.taken(tab)
  }

  async #joined(tab: number, group: number, url: string): Promise<void> {
    if (Date.now() - (this.#born.get(tab) ?? 0) < BORN_MS) return
    for (const [session, record] of Object.entries(await this.#book.all())) {
      if (record.group !== group) continue
      const id = await this.#change.lent(session, tab, url)
      const own = record.tabs[id]
      if (own !== undefined) own.grouped = true
      await this.#book.save()
    }
  }

  async #renamed(group: number, title: string | undefined): Promise<void> {
    for (const record of Object.values(await this.#book.all())) {
      if (record.group !== group || title === undefined || title === '' || record.title === title) continue
      record.title = title
      await this.#book.save()
    }
  }

  /** One change after the other, so that what we did ourselves is known when the browser tells of it. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work).catch((error: unknown) => {
      // The tab or window went away, or the person is dragging tabs.
      console.debug('a group of tabs could not be changed or looked at', error)
    })
    this.#queue = done
    return done
  }
}

async function windowOfGroup(group: number): Promise<number | null> {
  try {
    return (await browser.tabGroups.get(group)).windowId
  } catch (error) {
    console.debug(`group ${group} is gone`, error)
    return null
  }
}

function colourOf(session: string): (typeof COLOURS)[number] {
  const sum = [...session].reduce((total, char) => (total * 31 + (char.codePointAt(0) ?? 0)) % 9973, 7)
  return COLOURS[sum % COLOURS.length] ?? 'blue'
}
