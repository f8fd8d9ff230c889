import { type Browser, browser } from 'wxt/browser'
import { Failure } from '../../shared/failures.ts'
import { delay } from './delay.ts'
import { needDebugger } from './need-debugger.ts'

/** One CDP command on the tab, or on a session below it; rejects with the protocol's own error text. */
export type Send = <R extends object>(
  method: string,
  params?: Record<string, unknown>,
  sessionId?: string,
) => Promise<R>

export interface DebugEvent {
  method: string
  params: Record<string, unknown>
  /** Of the cross-process frame or worker that it comes from; null for the tab itself. */
  sessionId: string | null
}

/** A cross-process frame or a worker of the tab, attached by itself. */
export interface DebugChild {
  sessionId: string
  /** `iframe`, `worker`, `service_worker`, `shared_worker` … */
  type: string
  targetId: string
  url: string
}

/** Who listens to a tab. */
export interface Holder {
  /** Enables what it needs: called at once, and again when the debugger had to be attached anew. */
  begin?(send: Send): Promise<void>
  onEvent?(event: DebugEvent): void
  /** Asks for children; each is paused until every holder's promise settled, or, where it answers nothing before it
   *  runs, until every holder has sent what it sends at once. */
  onChild?(child: DebugChild, send: Send): Promise<void> | void
  /** The debugger is off the tab for good: the person took it off, or the tab is gone. */
  onLost?(reason: string): void
}

const VERSION = '1.3'
const ANSWERS_LATE: ReadonlySet<string> = new Set(['service_worker', 'shared_worker'])
/** Chromium takes the debugger off when some frames load; it can be put on again once they have. */
const REATTACH_MS = 150

/** The debugger on one tab, with those who hold it and the sessions of the tab's frames and workers. */
export class Attachment {
  readonly tab: number
  readonly holders = new Set<Holder>()
  readonly #children = new Map<string, DebugChild>()
  /** Sessions below which children are attached too; null until somebody wants children. */
  #following: Promise<void> | null = null
  #ready: Promise<void>

  constructor(tab: number, standing: Holder) {
    this.tab = tab
    this.holders.add(standing)
    this.#ready = attach(tab).then(() => standing.begin?.(this.send))
  }

  /** Fails with unsupported where the debugger cannot be attached. */
  get ready(): Promise<void> {
    return this.#ready
  }

  readonly send: Send = async <R extends object>(
    method: string,
    params: Record<string, unknown> = {},
    sessionId?: string,
  ): Promise<R> => {
    // Typings know no sessions yet; Chromium does since 125.
    const target = { tabId: this.tab, ...(sessionId === undefined ? {} : { sessionId }) }
    // The protocol's answers are objects of the method's own shape; callers name what they read.
    return (await browser.debugger.sendCommand(target, method, params)) as R
  }

  /** Also tells the children that are known already. */
  async add(holder: Holder): Promise<void> {
    await this.#ready
    this.holders.add(holder)
    await holder.begin?.(this.send)
    if (holder.onChild === undefined) return
    for (const child of this.#children.values()) await holder.onChild(child, this.send)
    this.#following ??= this.#follow()
    await this.#following
  }

  hear(event: DebugEvent): void {
    if (event.method === 'Target.attachedToTarget') void this.#childCame(event)
    if (event.method === 'Target.detachedFromTarget')
      this.#children.delete((event.params as { sessionId: string }).sessionId)
    for (const holder of this.holders) holder.onEvent?.(event)
  }

  /** After a detachment that the browser made by itself. Fails with unsupported when it is for good. */
  async restore(): Promise<void> {
    this.#children.clear()
    this.#ready = delay(REATTACH_MS).then(() => attach(this.tab))
    await this.#ready
    for (const holder of this.holders) await holder.begin?.(this.send)
    if (this.#following === null) return
    this.#following = this.#follow()
    await this.#following
  }

  lost(reason: string): void {
    for (const holder of this.holders) holder.onLost?.(reason)
    this.holders.clear()
  }

  async #follow(sessionId?: string): Promise<void> {
    const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true }
    await this.send('Target.setAutoAttach', params, sessionId)
  }

  async #childCame({ params }: DebugEvent): Promise<void> {
    const { sessionId, targetInfo } = params as {
      sessionId: string
      targetInfo: { type: string; targetId: string; url: string }
    }
    const { type, targetId, url } = targetInfo
    const child: DebugChild = { sessionId, type, targetId, url }
    this.#children.set(sessionId, child)
    const told = [...this.holders].map(async holder => holder.onChild?.(child, this.send))
    const begun = Promise.allSettled([this.#follow(sessionId), ...told]).then(all => {
      for (const one of all) if (one.status === 'rejected') console.debug(`in ${type} ${url}:`, one.reason)
    })
    // One that serves pages answers nothing before it runs; what was sent to it first is still done first.
    if (!ANSWERS_LATE.has(type)) await begun
    try {
      await this.send('Runtime.runIfWaitingForDebugger', {}, sessionId)
    } catch (error) {
      console.debug(`${type} ${url} was gone before it began`, error)
    }
  }
}

async function attach(tab: number): Promise<void> {
  needDebugger('debugger')
  try {
    await browser.debugger.attach({ tabId: tab }, VERSION)
  } catch (cause) {
    // An attachment outlives the worker that made it; then this one may simply go on with it.
    if (await answers({ tabId: tab })) return
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure(
      'unsupported',
      {
        what: 'The debugger',
        where: `this tab (${reason})`,
        hint: 'Close what else debugs the tab, then call again.',
      },
      { cause },
    )
  }
}

/** True where an attachment is ours. */
export const answers = (target: Browser.debugger.Debuggee): Promise<boolean> =>
  browser.debugger.sendCommand(target, 'Runtime.evaluate', { expression: '0' }).then(
    () => true,
    () => false,
  )
