import { type Browser, browser } from 'wxt/browser'
import { LOST, type Owner, type SessionBook } from './session-book.ts'

/** How long an operation waits for its tab while the browser brings back the tabs of the last time. */
const COMES_BACK_MS = 10_000

/**
 * Finds the tabs of sessions again after the browser was started anew, when every tab has another id. One is known by
 * what it shows and by the group of its session that it lies in, both together: a person's own tab is never taken for
 * one. What was lent is not looked for.
 */
export class Refinding {
  readonly #book: SessionBook
  readonly #started = Date.now()
  readonly #waiting = new Set<() => void>()
  #looking: Promise<void>

  constructor(book: SessionBook) {
    this.#book = book
    this.#looking = this.#begin()
    const look = (): void => {
      this.#looking = this.#looking.then(() => this.#look())
    }
    browser.tabs.onCreated.addListener(look)
    browser.tabs.onUpdated.addListener((_, changed) => {
      if (changed.url !== undefined || 'groupId' in changed) look()
    })
    browser.tabGroups?.onUpdated.addListener(look)
  }

  /** Resolves when the tab was found, or no longer can be expected to come back. */
  async found({ own }: Pick<Owner, 'own'>): Promise<void> {
    await this.#looking
    for (;;) {
      const left = this.#started + COMES_BACK_MS - Date.now()
      if (own.tab !== LOST || left <= 0) return
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, left)
        this.#waiting.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  async #begin(): Promise<void> {
    if (!(await this.#book.startedAnew())) return
    const open = await browser.tabs.query({})
    for (const { session, id, own } of await this.#book.owners()) {
      // After a new start of the extension alone they are all as they were.
      if (open.some(tab => tab.id === own.tab && tab.url === own.url)) continue
      if (own.lent) await this.#book.strike(session, id)
      own.tab = LOST
    }
    for (const record of Object.values(await this.#book.all()))
      if (Object.values(record.tabs).some(({ tab }) => tab === LOST)) record.group = null
    await this.#book.save()
    await this.#look()
  }

  async #look(): Promise<void> {
    const lost = (await this.#book.owners()).filter(({ own }) => own.tab === LOST)
    if (lost.length === 0) return
    const titles = await groupTitles()
    for (const owner of lost) await this.#match(owner, await browser.tabs.query({}), titles)
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  async #match(
    { session, own }: Owner,
    open: readonly Browser.tabs.Tab[],
    titles: ReadonlyMap<number, string>,
  ): Promise<void> {
    const record = await this.#book.find(session)
    if (record === null) return
    for (const { id, url, pendingUrl, groupId } of open) {
      if (id === undefined || groupId === undefined || titles.get(groupId) !== record.title) continue
      if ((url || pendingUrl) !== own.url || (await this.#book.ownerOf(id)) !== null) continue
      own.tab = id
      own.grouped = true
      record.group = groupId
      await this.#book.save()
      return
    }
  }
}

async function groupTitles(): Promise<Map<number, string>> {
  const groups = (await browser.tabGroups?.query({})) ?? []
  return new Map(groups.map(({ id, title }) => [id, title ?? '']))
}
