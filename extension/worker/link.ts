import { Failure } from '../../shared/failures.ts'
import type { Frame } from '../../shared/frame.ts'
import { PROTOCOL } from '../../shared/frame.ts'
import type { LinkPhase, LinkView } from '../../shared/panel.ts'
import type { PersonMethod, PersonParams, PersonResult } from '../../shared/person-wire.ts'
import {
  CAPABILITIES,
  type Capability,
  WIRE_EVENTS,
  type WireEvent,
  type WireEventData,
} from '../../shared/wire.ts'
import { Backoff } from './backoff.ts'
import type { CallTable } from './calls.ts'
import { FrameChannel, type NativePort } from './channel.ts'
import { Questions } from './questions.ts'

/** A native port with its end: `reason` is the browser's own text, empty when it gives none. */
export interface HostPort extends NativePort {
  onEnd(listener: (reason: string) => void): void
}

export interface LinkSettings {
  /** Opens a port to the native host. Never throws for a missing host: the port then ends with a reason. */
  connect: () => HostPort
  hello: () => Promise<{
    version: string
    profile: { id: string; name: string }
    browser: { name: string; version: string }
  }>
  hasDebugger: boolean
  calls: CallTable
  backoff?: Backoff
}

const WELCOME_WITHIN_MS = 5000
const RETRY_MISSING_MS = 5000
const RETRY_REFUSED_MS = 30_000
/** A link that did not hold this long does not earn an immediate retry. */
const HELD_MS = 1000

/**
 * The link to the companion through the native host. `ensure` may be called at any time by anything that woke
 * the worker. A lost link is opened again at once, then after growing pauses; a link is one port from hello to
 * its end, and everything under way on it is aborted with it.
 */
export class Link {
  readonly #settings: LinkSettings
  readonly #backoff: Backoff
  readonly #questions = new Questions()
  readonly #onEvents = new Set<(name: WireEvent, data: unknown) => void>()
  readonly #onViews = new Set<(view: LinkView) => void>()
  #channel: FrameChannel | null = null
  #retry: ReturnType<typeof setTimeout> | null = null
  #view: LinkView = { phase: 'connecting', since: Date.now(), detail: '', companion_version: null }
  #heardHost = false
  #answered = false
  #relinkWhenIdle = false
  /** Since the last welcome. */
  #failures = 0

  constructor(settings: LinkSettings) {
    this.#settings = settings
    this.#backoff = settings.backoff ?? new Backoff()
  }

  get view(): LinkView {
    return this.#view
  }

  onView(listener: (view: LinkView) => void): () => void {
    this.#onViews.add(listener)
    return () => this.#onViews.delete(listener)
  }

  onEvent(listener: (name: WireEvent, data: unknown) => void): () => void {
    this.#onEvents.add(listener)
    return () => this.#onEvents.delete(listener)
  }

  /** Connects unless there is a connection already, linked or on its way. */
  ensure(): void {
    if (this.#channel !== null) return
    if (this.#retry !== null) clearTimeout(this.#retry)
    this.#retry = null
    this.#open()
  }

  /** Says hello anew, once nothing is under way: the profile's name has changed. */
  relink(): void {
    this.#relinkWhenIdle = true
    this.onIdle()
  }

  /** To be called whenever the last call under way has ended. */
  onIdle(): void {
    if (!this.#relinkWhenIdle || this.#settings.calls.size > 0) return
    this.#relinkWhenIdle = false
    const channel = this.#channel
    if (channel === null) return
    channel.close()
    this.#ended(channel, 'connecting', '')
  }

  /** False when there is no link; what is too large for one is dropped. */
  emit<E extends WireEvent>(name: E, data: WireEventData<E>): boolean {
    if (this.#view.phase !== 'linked' || this.#channel === null) return false
    try {
      this.#channel.send({ k: 'event', name, data })
    } catch (error) {
      console.warn(`event ${name} could not be sent`, error)
    }
    return true
  }

  async ask<M extends PersonMethod>(method: M, params: PersonParams<M>): Promise<PersonResult<M>> {
    const channel = this.#channel
    if (this.#view.phase !== 'linked' || channel === null)
      throw new Failure('companion_unavailable', { reason: 'the browser is not linked' })
    return await this.#questions.ask(method, params, frame => channel.send(frame))
  }

  #open(): void {
    const port = this.#settings.connect()
    this.#heardHost = false
    this.#answered = false
    const channel: FrameChannel = new FrameChannel(
      port,
      frame => this.#receive(channel, frame),
      fault => {
        console.warn(`the native host sent a faulty message: ${fault.reason}`)
        if (fault.id === null) return
        const failure = new Failure('frame_invalid', { reason: fault.reason })
        channel.send({ k: 'fail', id: fault.id, failure: failure.toJSON() })
      },
    )
    this.#channel = channel
    port.onEnd(reason => this.#ended(channel, phaseOfEnd(reason), reason))
    // What was wrong stays shown while it is tried again; a link that broke just now is only being renewed.
    if (this.#view.phase === 'host_ended' && this.#failures <= 1) this.#show('connecting', '')
    void this.#greet(channel)
  }

  async #greet(channel: FrameChannel): Promise<void> {
    const hello = await this.#settings.hello()
    if (this.#channel !== channel) return
    setTimeout(() => this.#giveUp(channel), WELCOME_WITHIN_MS)
    try {
      channel.send({ k: 'hello', protocol: PROTOCOL, capabilities: this.#capabilities(), ...hello })
      channel.send({ k: 'ping', id: 'hello', to: 'host' })
    } catch (error) {
      // The port closed meanwhile; its end, with the reason, is on its way to `onEnd`.
      console.warn('hello could not be sent', error)
    }
  }

  #capabilities(): Capability[] {
    return CAPABILITIES.filter(name => name !== 'debugger' || this.#settings.hasDebugger)
  }

  #giveUp(channel: FrameChannel): void {
    if (this.#channel !== channel || this.#answered) return
    channel.close()
    this.#ended(channel, this.#heardHost ? 'companion_silent' : 'host_silent', '')
  }

  #ended(channel: FrameChannel, phase: LinkPhase, detail: string, version: string | null = null): void {
    if (this.#channel !== channel) return
    this.#channel = null
    if (this.#view.phase === 'linked' && Date.now() - this.#view.since > HELD_MS) this.#backoff.reset()
    this.#failures++
    const lost = new Failure('link_lost', { hop: 'native host' })
    this.#settings.calls.abortAll(lost)
    this.#questions.failAll(lost)
    this.#show(phase, detail, version)
    this.#retry = setTimeout(() => this.ensure(), this.#pause(phase))
  }

  #pause(phase: LinkPhase): number {
    if (phase === 'refused') return RETRY_REFUSED_MS
    if (phase === 'host_missing' || phase === 'host_forbidden') return RETRY_MISSING_MS
    return this.#backoff.next()
  }

  #receive(channel: FrameChannel, frame: Frame): void {
    if (this.#channel !== channel) return
    this.#heardHost = true
    const { calls } = this.#settings
    switch (frame.k) {
      case 'welcome':
        this.#welcomed(channel, frame)
        break
      case 'call':
        calls.accept(frame, answer => channel.send(answer))
        break
      case 'stop':
        calls.stop(frame.id)
        break
      case 'done':
      case 'fail':
        this.#questions.settle(frame)
        break
      case 'event':
        this.#event(frame.name, frame.data)
        break
      case 'ping':
        channel.send({ k: 'pong', id: frame.id })
        break
      case 'pong':
        break
      default:
        console.warn(`frame ${frame.k} is not for an extension; ignored`)
    }
  }

  #welcomed(channel: FrameChannel, frame: Extract<Frame, { k: 'welcome' }>): void {
    this.#answered = true
    if (frame.refused === null) {
      this.#failures = 0
      this.#show('linked', '', frame.version)
      return
    }
    channel.close()
    this.#ended(channel, 'refused', Failure.fromJSON(frame.refused).message, frame.version)
  }

  #event(name: string, data: unknown): void {
    if (!Object.hasOwn(WIRE_EVENTS, name)) {
      console.warn(`unknown event ${name}; ignored`)
      return
    }
    const known = name as WireEvent
    const parsed = WIRE_EVENTS[known].safeParse(data)
    if (!parsed.success) console.warn(`event ${name} does not fit; ignored`, parsed.error)
    else for (const listener of this.#onEvents) listener(known, parsed.data)
  }

  #show(phase: LinkPhase, detail: string, companionVersion: string | null = null): void {
    const since = phase === this.#view.phase ? this.#view.since : Date.now()
    this.#view = { phase, since, detail, companion_version: companionVersion }
    for (const listener of this.#onViews) listener(this.#view)
  }
}

/** The browsers' own texts for the end of a native port. */
const END_TEXTS: readonly (readonly [RegExp, LinkPhase])[] = [
  [/not found|no such native application/i, 'host_missing'],
  [/forbidden|not allowed|does not have permission/i, 'host_forbidden'],
]

const phaseOfEnd = (reason: string): LinkPhase =>
  END_TEXTS.find(([text]) => text.test(reason))?.[1] ?? 'host_ended'
