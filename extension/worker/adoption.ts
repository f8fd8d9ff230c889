import { browser } from 'wxt/browser'
import type { OpenedTab } from '../../shared/values.ts'
import type { Front } from './front.ts'
import { isWithoutPage } from './navigation.ts'
import type { Sessions } from './sessions.ts'

interface Watch {
  tab: number
  opened: OpenedTab[]
}

/** What is to be done with tabs of a session before their first request, so that nothing of it is missed. */
export interface Beginnings {
  /** Null where nothing is; else what does it. The tab shows nothing yet. */
  of(session: string, url: string): Promise<((tab: number) => Promise<void>) | null>
  /** Of a tab that came by itself and may be under way. */
  seen(session: string, tab: number): Promise<void>
}

/** How long a tab that was just opened may take to show its page, before it is told of all the same. */
const SHOWN_MS = 2000
/** A tab that shows no page, since its address led to a file, is closed by the browser within this time. */
const CLOSES_MS = 300

/** What the tabs of sessions open, by links and by scripts, belongs to their session, and is not put in front. */
export class Adoption {
  readonly #sessions: Sessions
  readonly #beginnings: Beginnings
  readonly #front: Front
  readonly #watches = new Set<Watch>()
  #under: Promise<unknown> = Promise.resolve()

  constructor(sessions: Sessions, front: Front, beginnings: Beginnings) {
    this.#sessions = sessions
    this.#front = front
    this.#beginnings = beginnings
    // The opener that a tab names is the tab that was in front then, whoever opened it; this event tells the truth.
    browser.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId, url }) => {
      const adopting = this.#adopt(sourceTabId, tabId, url)
      this.#under = Promise.allSettled([this.#under, adopting.then(({ told }) => told)])
      // Where a browser waits with what is opened until it is looked at, it waits for this.
      return adopting.then(({ seen }) => seen)
    })
  }

  /** Follows what a tab opens while something is done in it. */
  watch(tab: number): { opened(): Promise<OpenedTab[]>; end(): void } {
    const watch: Watch = { tab, opened: [] }
    this.#watches.add(watch)
    return {
      opened: async () => {
        await this.#under
        return watch.opened
      },
      end: () => void this.#watches.delete(watch),
    }
  }

  /** Opens what a link in a tab of ours leads to, in the background as the person's browser never does by itself. */
  async open(source: number, url: string): Promise<OpenedTab | null> {
    const session = await this.#sessions.sessionOf(source)
    if (session === null) return null
    const { windowId, index } = await browser.tabs.get(source)
    const first = await this.#beginnings.of(session, url)
    const address = first === null ? url : 'about:blank'
    const created = await browser.tabs.create({ url: address, active: false, windowId, index: index + 1 })
    if (created.id === undefined) return null
    const tab = await this.#sessions.adopt(session, created.id, url)
    if (first !== null) await first(created.id)
    const shown = whenShown(created.id)
    if (first !== null) await browser.tabs.update(created.id, { url })
    return openedTab(tab, url, await shown)
  }

  /** `seen`: everything looks at the tab that wants to; `told`: who acted may be told of it. */
  async #adopt(
    source: number,
    tab: number,
    url: string,
  ): Promise<{ seen: Promise<void>; told: Promise<void> }> {
    const watches = [...this.#watches].filter(watch => watch.tab === source)
    const shown = whenShown(tab)
    const session = await this.#sessions.sessionOf(source)
    if (session === null) return NOT_OURS
    // In a tab that they look at a person may have clicked themselves.
    const byPerson = watches.length === 0 && this.#front.wasInFront(source)
    const id = await this.#sessions.adopt(session, tab, url)
    const seen = this.#beginnings.seen(session, tab)
    const told = async (): Promise<void> => {
      if (!byPerson) await this.#front.giveBack(tab)
      const isOpen = watches.length === 0 || (await shown)
      // Some browsers do not know where it leads when it is opened.
      const address = url || (await addressNow(tab))
      for (const { opened } of watches) opened.push(openedTab(id, address, isOpen))
    }
    return { seen, told: told() }
  }
}

const NOT_OURS = { seen: Promise.resolve(), told: Promise.resolve() }

const addressNow = (tab: number): Promise<string> =>
  browser.tabs.get(tab).then(
    ({ url = '' }) => url,
    () => '',
  )

const openedTab = (tab: string, url: string, isOpen: boolean): OpenedTab =>
  isOpen ? { tab, url } : { tab, url, closed: true }

interface Step {
  tabId: number
  frameId: number
}

/** False where it was closed instead. */
function whenShown(tab: number): Promise<boolean> {
  const { onDOMContentLoaded, onErrorOccurred } = browser.webNavigation
  const { onRemoved } = browser.tabs
  return new Promise(resolve => {
    const within = (ms: number) => setTimeout(end, ms, true)
    const onShown = ({ tabId, frameId }: Step): void => {
      if (tabId === tab && frameId === 0) end(true)
    }
    // Typings know the event by fewer fields than there are.
    const onFailed = ({ tabId, frameId, error = '' }: Step & { error?: string }): void => {
      if (tabId !== tab || frameId !== 0) return
      clearTimeout(timer)
      timer = within(isWithoutPage(error) ? CLOSES_MS : 0)
    }
    const onClosed = (removed: number): void => {
      if (removed === tab) end(false)
    }
    const end = (isOpen: boolean): void => {
      clearTimeout(timer)
      onDOMContentLoaded.removeListener(onShown)
      onErrorOccurred.removeListener(onFailed)
      onRemoved.removeListener(onClosed)
      resolve(isOpen)
    }
    let timer = within(SHOWN_MS)
    onDOMContentLoaded.addListener(onShown)
    onErrorOccurred.addListener(onFailed)
    onRemoved.addListener(onClosed)
  })
}
