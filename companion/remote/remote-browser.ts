import { setTimeout as delay } from 'node:timers/promises'
import { ExtensionEvent } from './extension-event.ts'
import type { RemoteFrame } from './frames.ts'
import type { Protocol, ProtocolEvent } from './protocol.ts'
import { type NavigationEvent, RemoteTab } from './remote-tab.ts'

/** A tab as extensions know it. Which are in front nobody can tell from afar. */
export interface TabRecord {
  id: number
  windowId: number
  index: number
  url: string
  title: string
  status: 'loading' | 'complete'
  active: boolean
  discarded: boolean
  frozen: boolean
  groupId: number
  openerTabId?: number
}

interface TargetInfo {
  targetId: string
  type: string
  url: string
  title: string
  openerId?: string
}

export interface NavigationDetails {
  tabId: number
  frameId: number
  url: string
  documentId: string
  documentLifecycle: 'active'
  error?: string
}

const NAVIGATIONS: readonly NavigationEvent[] = [
  'onBeforeNavigate',
  'onCommitted',
  'onDOMContentLoaded',
  'onCompleted',
  'onHistoryStateUpdated',
  'onErrorOccurred',
]

/** So long may what listens to a page that is opened take; some answer nothing before it goes on. */
const OPENS_WITHIN_MS = 300

/** The one window that all remote tabs count as being in. */
export const WINDOW = 1

/**
 * The pages of a browser behind a DevTools socket, numbered as extensions number tabs. A page is looked into only
 * once somebody asks for it: the browser may be full of pages that are none of our business.
 */
export class RemoteBrowser {
  readonly protocol: Protocol
  readonly #records = new Map<string, TabRecord>()
  readonly #tabs = new Map<number, Promise<RemoteTab>>()
  readonly #attached = new Map<number, RemoteTab>()
  readonly #prologue: string
  /** Tabs that were opened from here. */
  readonly #own = new Set<number>()
  readonly #hidden = new Set<string>()
  #watching: Promise<void> | null = null
  #next = 1

  readonly onCreated = new ExtensionEvent<[TabRecord]>()
  readonly onUpdated = new ExtensionEvent<[number, Partial<TabRecord>, TabRecord]>()
  readonly onRemoved = new ExtensionEvent<[number]>()
  /** A tab that one we look into has opened. What listeners promise is waited for, a moment, before it goes on. */
  readonly onOpened = new ExtensionEvent<[{ sourceTabId: number; tabId: number; url: string }]>()
  readonly onCalled = new ExtensionEvent<[RemoteTab, RemoteFrame, string]>()
  readonly navigations = Object.fromEntries(
    NAVIGATIONS.map(name => [name, new ExtensionEvent<[NavigationDetails]>()]),
  ) as Record<NavigationEvent, ExtensionEvent<[NavigationDetails]>>

  /** @param prologue runs at the start of our world in every document that we look into */
  constructor(protocol: Protocol, prologue: string) {
    this.protocol = protocol
    this.#prologue = prologue
    protocol.onEvent(event => this.#hear(event))
  }

  async open(): Promise<void> {
    await this.protocol.send('Target.setDiscoverTargets', { discover: true })
  }

  records(): TabRecord[] {
    return [...this.#records.values()]
  }

  /** Rejects as a browser does. */
  record(id: number): TabRecord {
    const found = this.records().find(record => record.id === id)
    if (found === undefined) throw new Error(`No tab with id: ${id}.`)
    return found
  }

  async create(url: string): Promise<TabRecord> {
    const { targetId } = await this.protocol.send<{ targetId: string }>('Target.createTarget', {
      url: 'about:blank',
      background: true,
    })
    const record = this.#know({ targetId, type: 'page', url: 'about:blank', title: '' })
    this.#own.add(record.id)
    await this.tab(record.id)
    if (url !== 'about:blank') await this.navigate(record.id, url)
    return record
  }

  /** A blank page for our own work, which counts as no tab; the session in it. */
  async hiddenPage(): Promise<string> {
    const { targetId } = await this.protocol.send<{ targetId: string }>('Target.createTarget', {
      ...{ url: 'about:blank', background: true },
      // Older browsers do not know it; there it is one more tab until we go.
      hidden: true,
    })
    this.#hidden.add(targetId)
    this.#records.delete(targetId)
    const session = { targetId, flatten: true }
    return (await this.protocol.send<{ sessionId: string }>('Target.attachToTarget', session)).sessionId
  }

  /** What the tab of this frame shows, where we look into it. */
  urlOfFrame(key: string): string | null {
    for (const tab of this.#attached.values())
      if (tab.frames.byKey(key) !== undefined) return tab.frames.main?.url ?? null
    return null
  }

  async navigate(id: number, url: string): Promise<void> {
    const tab = await this.tab(id)
    const main = tab.frames.main
    if (main !== undefined) this.#navigated(id, 'onBeforeNavigate', { ...main, url })
    // Answers only once the browser has something to show, which may take as long as the site does.
    void this.protocol
      .send<{ errorText?: string }>('Page.navigate', { url }, tab.session)
      .then(({ errorText }) => {
        if (errorText !== undefined && main !== undefined)
          this.#navigated(id, 'onErrorOccurred', { ...main, url }, errorText)
      })
      .catch(error => console.debug('the tab went away while it navigated', error))
  }

  async close(id: number): Promise<void> {
    await this.protocol.send('Target.closeTarget', { targetId: this.targetOf(id) })
  }

  /** What was opened from here goes with us; all else stays. */
  async closeOwn(): Promise<void> {
    const hidden = [...this.#hidden].map(targetId => this.protocol.send('Target.closeTarget', { targetId }))
    await Promise.allSettled([...[...this.#own].map(id => this.close(id)), ...hidden])
  }

  async show(id: number): Promise<void> {
    await this.protocol.send('Target.activateTarget', { targetId: this.targetOf(id) })
  }

  targetOf(id: number): string {
    for (const [target, record] of this.#records) if (record.id === id) return target
    throw new Error(`No tab with id: ${id}.`)
  }

  /** The page, looked into from now on. */
  tab(id: number): Promise<RemoteTab> {
    const known = this.#tabs.get(id)
    if (known !== undefined) return known
    const attaching = this.#attach(id)
    this.#tabs.set(id, attaching)
    attaching.catch(() => this.#tabs.delete(id))
    return attaching
  }

  /** Those that are looked into. */
  attachedTabs(): Promise<RemoteTab[]> {
    return Promise.all(this.#tabs.values())
  }

  async #attach(id: number): Promise<RemoteTab> {
    const tab = new RemoteTab(id, this.targetOf(id), {
      protocol: this.protocol,
      prologue: this.#prologue,
      listener: {
        navigation: (event, frame, error) => this.#navigated(id, event, frame, error),
        called: (frame, payload) => void this.onCalled.emit(tab, frame, payload),
      },
    })
    this.#attached.set(id, tab)
    this.#watching ??= this.#watchOpening()
    await this.#watching
    await tab.attach()
    return tab
  }

  /** From now on every new page waits until we let it go on: what a tab of ours opens is seen from its first request. */
  async #watchOpening(): Promise<void> {
    await this.protocol.send('Target.setAutoAttach', {
      ...{ autoAttach: true, waitForDebuggerOnStart: true, flatten: true },
      filter: [{ type: 'page' }],
    })
  }

  async #opening(session: string, info: TargetInfo): Promise<void> {
    try {
      const source = this.#records.get(info.openerId ?? '')
      const opener = source === undefined ? undefined : this.#attached.get(source.id)
      if (source !== undefined && opener !== undefined) {
        const { id: tabId } = this.#know(info)
        const told = this.onOpened.emit({ sourceTabId: source.id, tabId, url: opener.opens || info.url })
        await Promise.race([Promise.allSettled([...told, this.tab(tabId)]), delay(OPENS_WITHIN_MS)])
      }
      await this.protocol.send('Runtime.runIfWaitingForDebugger', {}, session)
      await this.protocol.send('Target.detachFromTarget', { sessionId: session })
    } catch (error) {
      console.debug('the page was gone before it began', error)
    }
  }

  #hear(event: ProtocolEvent): void {
    const { method, params, sessionId } = event
    const info = params.targetInfo as TargetInfo | undefined
    if (info !== undefined && this.#hidden.has(info.targetId)) return
    if (sessionId === null && method === 'Target.attachedToTarget') {
      // One that we attached to ourselves, or that was there before, does not wait.
      if (info !== undefined && params.waitingForDebugger === true)
        void this.#opening(String(params.sessionId), info)
    } else if (sessionId !== null) {
      for (const tab of this.#attached.values()) if (tab.owns(sessionId)) tab.hear(event)
    } else if (method === 'Target.targetCreated' && info?.type === 'page') this.#know(info)
    else if (method === 'Target.targetInfoChanged' && info?.type === 'page') this.#know(info)
    else if (method === 'Target.targetDestroyed') this.#gone(String(params.targetId))
  }

  #know({ targetId, url, title, openerId }: TargetInfo): TabRecord {
    const known = this.#records.get(targetId)
    if (known !== undefined) {
      const change = { url, title }
      Object.assign(known, change)
      this.onUpdated.emit(known.id, change, known)
      return known
    }
    const opener = openerId === undefined ? undefined : this.#records.get(openerId)?.id
    const id = this.#next++
    const record: TabRecord = {
      ...{ id, windowId: WINDOW, index: id, url, title, status: 'complete', groupId: -1 },
      ...{ active: false, discarded: false, frozen: false },
      ...(opener === undefined ? {} : { openerTabId: opener }),
    }
    this.#records.set(targetId, record)
    this.onCreated.emit(record)
    return record
  }

  #gone(target: string): void {
    const record = this.#records.get(target)
    if (record === undefined) return
    this.#records.delete(target)
    this.#own.delete(record.id)
    this.#tabs.delete(record.id)
    this.#attached.delete(record.id)
    this.onRemoved.emit(record.id)
  }

  #navigated(tabId: number, event: NavigationEvent, frame: RemoteFrame, error?: string): void {
    this.navigations[event].emit({
      ...{ tabId, frameId: frame.id, url: frame.url, documentId: frame.document },
      documentLifecycle: 'active',
      ...(error === undefined ? {} : { error }),
    })
  }
}
