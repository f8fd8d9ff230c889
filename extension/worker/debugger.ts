import { browser } from 'wxt/browser'
import { Attachment, answers, type Holder, type Send } from './debug-attachment.ts'

/** Attaching shows the browser's own banner; keeping it for a moment spares it blinking between two acts. */
const IDLE_MS = 2000

export interface Hold {
  send: Send
  /** Takes the debugger off when nobody else uses it. */
  release(): void
}

/**
 * The browser's debugger on tabs of ours: attached while somebody uses or holds it, taken off when idle. All parts
 * of the extension share one attachment of a tab, since the browser allows an extension no second one.
 */
export class Debugger {
  readonly #attached = new Map<number, Attachment>()
  readonly #users = new Map<number, number>()
  readonly #idle = new Map<number, ReturnType<typeof setTimeout>>()
  readonly #standing: (tab: number) => Holder

  /** @param standing listens on every tab for as long as the debugger is on it, without keeping it there */
  constructor(standing: (tab: number) => Holder = () => ({})) {
    this.#standing = standing
    browser.debugger?.onDetach.addListener(({ tabId }, reason) => {
      if (tabId !== undefined) void this.#detached(tabId, reason)
    })
    browser.debugger?.onEvent.addListener((source, method, params) => {
      if (source.tabId === undefined) return
      // Typings know no sessions yet; Chromium does since 125.
      const { sessionId = null } = source as { sessionId?: string }
      this.#attached.get(source.tabId)?.hear({ method, params: { ...params }, sessionId })
    })
    void this.#takeOffLeftovers()
  }

  get available(): boolean {
    return browser.debugger !== undefined
  }

  /** Whether it is on the tab now. */
  isOn(tab: number): boolean {
    return this.#attached.has(tab)
  }

  /** Runs `work` with the debugger attached. Fails with unsupported where it cannot be attached. */
  async on<T>(tab: number, work: (send: Send) => Promise<T>): Promise<T> {
    const attachment = this.#use(tab)
    try {
      await attachment.ready
      return await work(attachment.send)
    } finally {
      this.#leave(tab)
    }
  }

  /** Keeps it on the tab for somebody who listens. Fails with unsupported where it cannot be attached. */
  async hold(tab: number, holder: Holder): Promise<Hold> {
    const attachment = this.#use(tab)
    let held = true
    const release = (): void => {
      if (!held) return
      held = false
      attachment.holders.delete(holder)
      this.#leave(tab)
    }
    try {
      await attachment.add(holder)
    } catch (error) {
      release()
      throw error
    }
    return { send: attachment.send, release }
  }

  #use(tab: number): Attachment {
    clearTimeout(this.#idle.get(tab))
    this.#users.set(tab, (this.#users.get(tab) ?? 0) + 1)
    const known = this.#attached.get(tab)
    if (known !== undefined) return known
    const attachment = new Attachment(tab, this.#standing(tab))
    this.#attached.set(tab, attachment)
    attachment.ready.catch(() => this.#forget(attachment))
    return attachment
  }

  #leave(tab: number): void {
    const users = (this.#users.get(tab) ?? 1) - 1
    this.#users.set(tab, users)
    if (users > 0) return
    this.#users.delete(tab)
    this.#idle.set(
      tab,
      setTimeout(() => void this.#detach(tab), IDLE_MS),
    )
  }

  async #detach(tab: number): Promise<void> {
    this.#idle.delete(tab)
    if (!this.#attached.delete(tab)) return
    try {
      await browser.debugger.detach({ tabId: tab })
    } catch (error) {
      console.debug(`the debugger was off tab ${tab} already`, error)
    }
  }

  #forget(attachment: Attachment): void {
    if (this.#attached.get(attachment.tab) === attachment) this.#attached.delete(attachment.tab)
  }

  /** What the browser did by itself is undone while somebody holds the tab; what the person did is not. */
  async #detached(tab: number, reason: string): Promise<void> {
    const attachment = this.#attached.get(tab)
    if (attachment === undefined) return
    if (reason === 'target_closed' && this.#users.has(tab) && (await isOpen(tab))) {
      try {
        return await attachment.restore()
      } catch (error) {
        console.debug(`the debugger could not be put on tab ${tab} again`, error)
      }
    }
    this.#forget(attachment)
    attachment.lost(reason)
  }

  /** Attachments outlive the worker that made them: those that nobody of this one wants would stay for ever. */
  async #takeOffLeftovers(): Promise<void> {
    if (browser.debugger === undefined) return
    for (const { tabId, attached } of await browser.debugger.getTargets()) {
      if (tabId === undefined || !attached || this.#attached.has(tabId)) continue
      if (await answers({ tabId })) await this.on(tabId, async () => undefined)
    }
  }
}

const isOpen = (tab: number): Promise<boolean> =>
  browser.tabs.get(tab).then(
    () => true,
    () => false,
  )
