import { isRecord } from '../../shared/json.ts'
import { type FrameNews, Frames, type FrameTree, type RemoteFrame, type World } from './frames.ts'
import type { Protocol, ProtocolEvent } from './protocol.ts'

/** Steps of a navigation, by the names that extensions hear them by. */
export type NavigationEvent =
  | 'onBeforeNavigate'
  | 'onCommitted'
  | 'onDOMContentLoaded'
  | 'onCompleted'
  | 'onHistoryStateUpdated'
  | 'onErrorOccurred'

export interface TabListener {
  navigation(event: NavigationEvent, frame: RemoteFrame, error?: string): void
  /** A script in our world of a frame called the binding. */
  called(frame: RemoteFrame, payload: string): void
}

export const WORLD = 'unicli'
export const BINDING = '__unicliSend'

const LIFECYCLE: Record<string, NavigationEvent> = {
  DOMContentLoaded: 'onDOMContentLoaded',
  load: 'onCompleted',
}

/** A page of the remote browser that we look into: its frames, over all their processes. */
export class RemoteTab {
  readonly id: number
  readonly target: string
  readonly frames = new Frames()
  readonly #protocol: Protocol
  readonly #listener: TabListener
  readonly #sessions = new Set<string>()
  /** Scripts for documents to come, by the session that has them. */
  readonly #scripts: { source: string; worldName?: string }[] = []
  /** Runs at the start of our world in every document; once more does no harm. */
  readonly #prologue: string
  /** Where pages asked to go, by the key of the frame; until a document came of it. */
  readonly #asked = new Map<string, string>()
  #session = ''
  /** The address of the window that it opened last. */
  opens = ''

  constructor(
    id: number,
    target: string,
    parts: { protocol: Protocol; listener: TabListener; prologue: string },
  ) {
    this.id = id
    this.target = target
    this.#protocol = parts.protocol
    this.#listener = parts.listener
    this.#prologue = parts.prologue
  }

  /** The session of the main frame's process. */
  get session(): string {
    return this.#session
  }

  owns(session: string): boolean {
    return this.#sessions.has(session)
  }

  async attach(): Promise<void> {
    const { sessionId } = await this.#protocol.send<{ sessionId: string }>('Target.attachToTarget', {
      targetId: this.target,
      flatten: true,
    })
    this.#session = sessionId
    await this.#enter(sessionId)
    // A tab in the background otherwise draws nothing, and its pages wait for that.
    await this.#protocol.send('Emulation.setFocusEmulationEnabled', { enabled: true }, sessionId)
  }

  /** Runs `source` at the start of every document to come. */
  async addScript(source: string, world: World): Promise<void> {
    const script = world === 'ISOLATED' ? { source, worldName: WORLD } : { source }
    this.#scripts.push(script)
    for (const session of this.#sessions)
      await this.#protocol.send('Page.addScriptToEvaluateOnNewDocument', script, session)
  }

  /** The execution context of a world in the document that the frame shows now. */
  async contextOf(frame: RemoteFrame, world: World): Promise<number> {
    const known = frame.contexts.get(world)
    if (known !== undefined) return known
    if (world === 'MAIN') throw new Error(`Frame with ID ${frame.id} was removed.`)
    const { executionContextId } = await this.#protocol.send<{ executionContextId: number }>(
      'Page.createIsolatedWorld',
      { frameId: frame.key, worldName: WORLD },
      frame.session,
    )
    frame.contexts.set(world, executionContextId)
    await this.#protocol.send(
      'Runtime.evaluate',
      { expression: this.#prologue, contextId: executionContextId },
      frame.session,
    )
    return executionContextId
  }

  hear({ method, params, sessionId }: ProtocolEvent): void {
    const session = sessionId ?? ''
    switch (method) {
      case 'Target.attachedToTarget':
        void this.#childCame(params).catch(error => console.debug('a frame went away', error))
        break
      case 'Target.detachedFromTarget':
        this.#sessions.delete(String(params.sessionId))
        break
      case 'Page.frameAttached':
        this.frames.add(String(params.frameId), String(params.parentFrameId), session)
        break
      case 'Page.frameDetached':
        // One that another process shows from now on is still there.
        if (params.reason !== 'swap') this.frames.remove(String(params.frameId))
        break
      case 'Page.frameNavigated':
        this.#navigated(params.frame as FrameNews & { unreachableUrl?: string }, session)
        break
      case 'Page.windowOpen':
        this.opens = String(params.url)
        break
      case 'Runtime.bindingCalled':
        this.#called(params, session)
        break
      case 'Runtime.executionContextsCleared':
        for (const frame of this.frames.inSession(session)) frame.contexts.clear()
        break
      case 'Runtime.executionContextCreated':
        this.#contextCame(params.context, session)
        break
      default:
        this.#step(method, params)
    }
  }

  #step(method: string, params: Record<string, unknown>): void {
    const frame = this.frames.byKey(String(params.frameId))
    if (frame === undefined) return
    if (method === 'Page.frameRequestedNavigation') {
      if (params.disposition === 'currentTab') this.#asked.set(frame.key, String(params.url))
    } else if (method === 'Page.frameStoppedLoading') {
      this.#stopped(frame)
    } else if (method === 'Page.frameStartedNavigating') {
      this.#listener.navigation('onBeforeNavigate', { ...frame, url: String(params.url) })
    } else if (method === 'Page.lifecycleEvent') {
      const event = LIFECYCLE[String(params.name)]
      if (event !== undefined && frame.document.endsWith(`.${params.loaderId}`))
        this.#listener.navigation(event, frame)
    } else if (method === 'Page.navigatedWithinDocument') {
      frame.url = String(params.url)
      this.#listener.navigation('onHistoryStateUpdated', frame)
    }
  }

  /** A page that asked to go somewhere stays: a download or an empty answer came. The protocol has no event for it. */
  #stopped(frame: RemoteFrame): void {
    const url = this.#asked.get(frame.key)
    this.#asked.delete(frame.key)
    if (url !== undefined) this.#listener.navigation('onErrorOccurred', { ...frame, url }, 'net::ERR_ABORTED')
  }

  #navigated(news: FrameNews & { unreachableUrl?: string }, session: string): void {
    const frame = this.frames.shows(news, session)
    this.#asked.delete(frame.key)
    if (news.unreachableUrl === undefined) this.#listener.navigation('onCommitted', frame)
    else
      this.#listener.navigation(
        'onErrorOccurred',
        { ...frame, url: news.unreachableUrl },
        'it cannot be reached',
      )
  }

  #called({ name, payload, executionContextId }: Record<string, unknown>, session: string): void {
    if (name !== BINDING) return
    const frame = this.frames
      .inSession(session)
      .find(({ contexts }) => contexts.get('ISOLATED') === executionContextId)
    if (frame !== undefined) this.#listener.called(frame, String(payload))
  }

  #contextCame(context: unknown, session: string): void {
    if (!isRecord(context) || !isRecord(context.auxData)) return
    const { frameId, isDefault } = context.auxData
    const frame = this.frames.byKey(String(frameId))
    if (frame === undefined || frame.session !== session) return
    if (isDefault === true) frame.contexts.set('MAIN', Number(context.id))
    else if (context.name === WORLD) frame.contexts.set('ISOLATED', Number(context.id))
  }

  /** A frame that another process shows. */
  async #childCame(params: Record<string, unknown>): Promise<void> {
    const { sessionId, targetInfo } = params
    if (!isRecord(targetInfo) || targetInfo.type !== 'iframe') return
    const parent = targetInfo.parentFrameId ?? this.frames.main?.key ?? null
    const frame = this.frames.add(String(targetInfo.targetId), String(parent), String(sessionId))
    frame.session = String(sessionId)
    frame.contexts.clear()
    await this.#enter(String(sessionId))
  }

  async #enter(session: string): Promise<void> {
    this.#sessions.add(session)
    const send = <R extends object>(method: string, params = {}): Promise<R> =>
      this.#protocol.send<R>(method, params, session)
    await send('Page.enable')
    const { frameTree } = await send<{ frameTree: FrameTree }>('Page.getFrameTree')
    this.frames.readTree(frameTree, session)
    await send('Runtime.addBinding', { name: BINDING, executionContextName: WORLD })
    await send('Page.setLifecycleEventsEnabled', { enabled: true })
    // In our world of every document, so that a script finds there what an extension's world has.
    await send('Page.addScriptToEvaluateOnNewDocument', { source: this.#prologue, worldName: WORLD })
    for (const script of this.#scripts) await send('Page.addScriptToEvaluateOnNewDocument', script)
    await send('Runtime.enable')
    await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
  }
}
