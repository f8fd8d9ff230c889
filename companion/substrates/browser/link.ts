import { Failure } from '../../../shared/failures.ts'
import { type Frame, type FrameOf, PROTOCOL } from '../../../shared/frame.ts'
import type { LinkState, Status } from '../../../shared/status.ts'
import {
  WIRE_EVENTS,
  type WireEvent,
  type WireEventData,
  type WireMethod,
  type WireParams,
  type WireResult,
} from '../../../shared/wire.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { LogPort } from '../../ports/log.ts'
import { Calls } from './calls.ts'
import { type HostState, hostState, killHost } from './host-process.ts'
import { Liveness } from './liveness.ts'
import { answerPerson, type PersonHandlers } from './person.ts'
import type { LinkTransport } from './transport.ts'

export type LinkCause = LinkState['cause']

export interface LinkSettings {
  transport: LinkTransport
  hello: FrameOf<'hello'>
  version: string
  person: PersonHandlers
  log: LogPort
  onEvent: <E extends WireEvent>(name: E, data: WireEventData<E>) => void
  /** `cause` or `rttMs` changed. */
  onChange: () => void
  /** Once. */
  onEnd: () => void
}

/** A host that said nothing for so long is looked at before a call is entrusted to it. */
const FRESH_MS = 300
/** Often enough to see a browser hang, seldom enough to cost nothing. */
const EXTENSION_PING_MS = 15_000

/** One browser profile, from its hello to the end of its connection. */
export class Link {
  readonly #settings: LinkSettings
  readonly #calls: Calls
  readonly #liveness: Liveness
  readonly #timer: NodeJS.Timeout
  #pings = 0
  #extensionPing: { id: string; at: number } | null = null
  #latestStatus: Status | null = null
  #isCongested = false
  #isOver = false
  #heardAt = Date.now()
  /** Why the link is as it is; once it has ended, why it did. */
  cause: LinkCause = 'ok'
  /** Of the last round trip to the extension's worker; null before the first. */
  rttMs: number | null = null
  /** The name by which browser.launch started its browser. */
  readonly managed: string | null

  constructor(settings: LinkSettings) {
    this.#settings = settings
    const { transport } = settings
    this.managed = transport.attach.managed ?? null
    this.#calls = new Calls((frame, flushed) => transport.send(frame, flushed))
    this.#liveness = new Liveness({
      ping: () => transport.send({ k: 'ping', id: `h${++this.#pings}`, to: 'host' }),
      received: () => transport.received,
      sent: () => transport.sent,
      look: () => hostState(transport.attach.pid),
      dead: state => this.#buryHost(state),
    })
    transport.onFrame(frame => this.#receive(frame))
    transport.onDrain(() => this.#drained())
    transport.onClose(() => this.#end('host_ended'))
    transport.send({ k: 'welcome', protocol: PROTOCOL, version: settings.version, refused: null })
    this.#liveness.touch()
    this.#pingExtension()
    this.#timer = setInterval(() => this.#pingExtension(), EXTENSION_PING_MS)
    this.#timer.unref()
  }

  get hello(): FrameOf<'hello'> {
    return this.#settings.hello
  }

  /**
   * False when the host is suspended or gone; the link has then ended. A call that is not sent to it can still go
   * the next way, while one that is has an unknown outcome.
   */
  async isAlive(): Promise<boolean> {
    if (this.#isOver || Date.now() - this.#heardAt < FRESH_MS) return !this.#isOver
    const state = await hostState(this.#settings.transport.attach.pid)
    if (state === 'stopped' || state === 'gone') this.#buryHost(state)
    return !this.#isOver
  }

  /** Fails as Calls.call. */
  call<M extends WireMethod>(method: M, params: WireParams<M>, options: CallOptions): Promise<WireResult<M>> {
    this.#liveness.touch()
    return this.#calls.call(method, params, options)
  }

  /** Whether the extension's worker answers a call of its own. */
  async proves(options: CallOptions): Promise<boolean> {
    const started = Date.now()
    try {
      await this.call('link.ping', {}, options)
    } catch (error) {
      if (Failure.is(error)) return false
      throw error
    }
    this.rttMs = Date.now() - started
    return true
  }

  /** A slow extension gets the latest status when it is ready for one, not all of them. */
  sendStatus(status: Status): void {
    this.#latestStatus = status
    if (!this.#isCongested) this.#drained()
  }

  /** Ends it from our side; `refused` tells the extension why. */
  close(cause: LinkCause, refused?: Failure): void {
    // First, so that the cause is ours and not that the connection closed.
    this.#end(cause)
    this.#settings.transport.close(refused)
  }

  #drained(): void {
    this.#isCongested = false
    const data = this.#latestStatus
    this.#latestStatus = null
    if (data !== null && !this.#isOver)
      this.#isCongested = !this.#settings.transport.send({ k: 'event', name: 'status.changed', data })
  }

  #receive(frame: Frame): void {
    this.#heardAt = Date.now()
    switch (frame.k) {
      case 'done':
      case 'fail':
        this.#calls.settle(frame)
        return
      case 'pong':
        this.#pong(frame.id)
        return
      case 'event':
        this.#event(frame.name, frame.data)
        return
      case 'call':
        void this.#answer(frame)
        return
      case 'ping':
        this.#settings.transport.send({ k: 'pong', id: frame.id })
        return
      case 'stop':
        // The person's calls are answered at once; the answer to a stopped one is dropped over there.
        return
      default:
        this.#fault(new Failure('frame_invalid', { reason: `${frame.k} is not for the companion here` }))
    }
  }

  async #answer(call: FrameOf<'call'>): Promise<void> {
    const { transport, person, hello } = this.#settings
    transport.send(await answerPerson(call, person, { profile: hello.profile }))
  }

  /** A page can make the extension report nonsense, so nonsense costs the event and not the link. */
  #event(name: string, data: unknown): void {
    // A newer extension may tell more than we know.
    if (!isWireEvent(name)) return
    const parsed = WIRE_EVENTS[name].safeParse(data)
    if (parsed.success) this.#settings.onEvent(name, parsed.data as WireEventData<typeof name>)
    else this.#settings.log.warn('event dropped', { name, problem: parsed.error.issues[0]?.message })
  }

  #fault(failure: Failure): void {
    this.#settings.log.warn('link cut off', { profile: this.hello.profile.name, error: failure })
    this.close('host_ended', failure)
  }

  #pingExtension(): void {
    if (this.#extensionPing !== null) this.#show('browser_silent')
    const id = `x${++this.#pings}`
    this.#extensionPing = { id, at: Date.now() }
    this.#settings.transport.send({ k: 'ping', id, to: 'extension' })
  }

  #pong(id: string): void {
    if (id !== this.#extensionPing?.id) return
    this.rttMs = Date.now() - this.#extensionPing.at
    this.#extensionPing = null
    this.cause = 'ok'
    this.#settings.onChange()
  }

  #show(cause: LinkCause): void {
    if (this.cause === cause) return
    this.cause = cause
    this.#settings.onChange()
  }

  #buryHost(state: HostState): void {
    if (this.#isOver) return
    killHost(this.#settings.transport.attach.pid)
    this.close(state === 'gone' ? 'host_ended' : 'host_suspended')
  }

  #end(cause: LinkCause): void {
    if (this.#isOver) return
    this.#isOver = true
    this.cause = cause
    clearInterval(this.#timer)
    this.#liveness.stop()
    this.#calls.lose(cause === 'replaced' ? 'browser' : 'native host')
    this.#settings.onEnd()
  }
}

const isWireEvent = (name: string): name is WireEvent => Object.hasOwn(WIRE_EVENTS, name)
