import { ExtensionEvent } from './extension-event.ts'
import type { Protocol, ProtocolEvent } from './protocol.ts'
import type { RemoteBrowser } from './remote-browser.ts'

interface Debuggee {
  tabId?: number
  sessionId?: string
}

/** `chrome.debugger` over the protocol: a second session of the page, so that neither disturbs the other. */
export class RemoteDebugger {
  readonly #browser: RemoteBrowser
  readonly #protocol: Protocol
  /** Tab → its session for debugging. */
  readonly #sessions = new Map<number, string>()
  /** Sessions of frames and workers below one → the tab. */
  readonly #children = new Map<string, number>()

  readonly onEvent = new ExtensionEvent<[Debuggee, string, Record<string, unknown>]>()
  readonly onDetach = new ExtensionEvent<[Debuggee, string]>()

  constructor(browser: RemoteBrowser) {
    this.#browser = browser
    this.#protocol = browser.protocol
    this.#protocol.onEvent(event => this.#hear(event))
    browser.onRemoved.addListener(tabId => {
      if (this.#sessions.delete(tabId)) this.onDetach.emit({ tabId }, 'target_closed')
    })
  }

  readonly attach = async ({ tabId = -1 }: Debuggee): Promise<void> => {
    if (this.#sessions.has(tabId))
      throw new Error(`Another debugger is already attached to the tab with id: ${tabId}.`)
    const { sessionId } = await this.#protocol.send<{ sessionId: string }>('Target.attachToTarget', {
      targetId: this.#browser.targetOf(tabId),
      flatten: true,
    })
    this.#sessions.set(tabId, sessionId)
  }

  readonly detach = async ({ tabId = -1 }: Debuggee): Promise<void> => {
    const sessionId = this.#sessionOf(tabId)
    this.#sessions.delete(tabId)
    for (const [child, tab] of this.#children) if (tab === tabId) this.#children.delete(child)
    await this.#protocol.send('Target.detachFromTarget', { sessionId })
  }

  readonly sendCommand = async (
    { tabId = -1, sessionId }: Debuggee,
    method: string,
    params: object = {},
  ): Promise<object> => await this.#protocol.send(method, params, sessionId ?? this.#sessionOf(tabId))

  readonly getTargets = async (): Promise<{ tabId: number; attached: boolean }[]> =>
    this.#browser.records().map(({ id }) => ({ tabId: id, attached: this.#sessions.has(id) }))

  #sessionOf(tabId: number): string {
    const session = this.#sessions.get(tabId)
    if (session === undefined) throw new Error(`Debugger is not attached to the tab with id: ${tabId}.`)
    return session
  }

  #hear({ method, params, sessionId }: ProtocolEvent): void {
    if (sessionId === null) return
    const below = this.#children.get(sessionId)
    const tabId = below ?? [...this.#sessions].find(([, session]) => session === sessionId)?.[0]
    if (tabId === undefined) return
    if (method === 'Target.attachedToTarget') this.#children.set(String(params.sessionId), tabId)
    if (method === 'Target.detachedFromTarget') this.#children.delete(String(params.sessionId))
    this.onEvent.emit(below === undefined ? { tabId } : { tabId, sessionId }, method, params)
  }
}
