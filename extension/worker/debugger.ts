import { browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'

/** One CDP command on the tab; fails with the protocol's own error text as `internal`. */
export type Send = <R extends object>(method: string, params?: Record<string, unknown>) => Promise<R>

interface Attachment {
  users: number
  ready: Promise<void>
  idle: ReturnType<typeof setTimeout> | null
}

/** Attaching shows the browser's own banner; keeping it for a moment spares it blinking between two acts. */
const IDLE_MS = 2000
const VERSION = '1.3'

/** The browser's debugger on tabs of ours: attached while somebody uses it, and taken off when idle. */
export class Debugger {
  readonly #attached = new Map<number, Attachment>()

  constructor() {
    browser.debugger?.onDetach.addListener(({ tabId }) => {
      if (tabId !== undefined) this.#attached.delete(tabId)
    })
  }

  get available(): boolean {
    return browser.debugger !== undefined
  }

  /** Runs `work` with the debugger attached. Fails with unsupported where it cannot be attached. */
  async on<T>(tab: number, work: (send: Send) => Promise<T>): Promise<T> {
    const attachment = this.#attached.get(tab) ?? this.#attach(tab)
    if (attachment.idle !== null) clearTimeout(attachment.idle)
    attachment.idle = null
    attachment.users++
    try {
      await attachment.ready
      return await work((method, params) => sendCommand(tab, method, params))
    } finally {
      attachment.users--
      if (attachment.users === 0) attachment.idle = setTimeout(() => void this.#detach(tab), IDLE_MS)
    }
  }

  #attach(tab: number): Attachment {
    const attachment: Attachment = { users: 0, ready: attach(tab), idle: null }
    this.#attached.set(tab, attachment)
    attachment.ready.catch(() => this.#attached.delete(tab))
    return attachment
  }

  async #detach(tab: number): Promise<void> {
    if (!this.#attached.delete(tab)) return
    try {
      await browser.debugger.detach({ tabId: tab })
    } catch (error) {
      console.debug(`the debugger was off tab ${tab} already`, error)
    }
  }
}

async function attach(tab: number): Promise<void> {
  if (browser.debugger === undefined)
    throw new Failure('unsupported', {
      what: 'Trusted input',
      where: 'this browser',
      hint: 'Use Chrome, Chromium or Edge for this page.',
    })
  try {
    await browser.debugger.attach({ tabId: tab }, VERSION)
  } catch (cause) {
    // An attachment outlives the worker that made it; then this one may simply go on with it.
    const alive = await sendCommand(tab, 'Runtime.evaluate', { expression: '0' }).then(
      () => true,
      () => false,
    )
    if (alive) return
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure(
      'unsupported',
      {
        what: 'Trusted input',
        where: `this tab (${reason})`,
        hint: 'Close what else debugs the tab, then call again.',
      },
      { cause },
    )
  }
}

const sendCommand = async <R extends object>(
  tab: number,
  method: string,
  params: Record<string, unknown> = {},
): Promise<R> => {
  // The protocol's answers are objects of the method's own shape; callers name what they read.
  return (await browser.debugger.sendCommand({ tabId: tab }, method, params)) as R
}
