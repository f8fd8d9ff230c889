import { Failure } from '../../../shared/failures.ts'
import type { FrameOf } from '../../../shared/frame.ts'
import { type Side, versionSkew } from '../../../shared/skew.ts'
import type { LinkState, Status } from '../../../shared/status.ts'
import type { ConsoleLine, TrafficUpdate } from '../../../shared/traffic.ts'
import type { CaptureEntry } from '../../../shared/values.ts'
import {
  WIRE,
  type WireEvent,
  type WireEventData,
  type WireMethod,
  type WireParams,
} from '../../../shared/wire.ts'
import type { BrowserPort, BrowserSession, CallOptions } from '../../ports/browser.ts'
import type { LogPort } from '../../ports/log.ts'
import { abortedBy } from './calls.ts'
import { Link } from './link.ts'
import type { PersonHandlers } from './person.ts'
import { AWAY_MS, chooseProfile, noneLinked, Profile } from './profile.ts'
import type { LinkTransport } from './transport.ts'

export interface BrowsersSettings {
  version: string
  person: PersonHandlers
  log: LogPort
  /** Takes what is told of the requests and consoles of sessions. */
  traffic: TrafficSink
  /** Told the id of a profile that is linked, for the first time or anew. */
  onLinked?: (profile: string) => void
}

interface SessionOf {
  /** Id. */
  profile: string
  session: string
}
interface TrafficSink {
  accept(at: SessionOf, told: { updates: readonly TrafficUpdate[]; lost: number }): void
  acceptLines(at: SessionOf, lines: readonly ConsoleLine[]): void
}

const HELLO_WITHIN_MS = 5000
/** Profiles that went are remembered so that doctor can tell why; not for ever. */
const MAX_PROFILES = 50

const EXTENSION: Side = {
  name: 'extension',
  mend: 'load the one that came with this companion, see "unicli setup"',
}
const COMPANION: Side = { name: 'companion', mend: 'npm install -g unicli-bridge && unicli daemon stop' }

/** All linked browser profiles: the browser port, and what the state record says about them. */
export class Browsers implements BrowserPort {
  readonly #settings: BrowsersSettings
  readonly #profiles = new Map<string, Profile>()
  readonly #captures = new Map<string, Set<(entry: CaptureEntry) => void>>()
  readonly #listeners = new Set<() => void>()
  readonly #startedAt = Date.now()

  constructor(settings: BrowsersSettings) {
    this.#settings = settings
  }

  /** Takes over a connection of a native host, whose extension is to say hello. */
  accept(transport: LinkTransport): void {
    const timer = setTimeout(() => {
      transport.close(new Failure('frame_invalid', { reason: `no hello within ${HELLO_WITHIN_MS} ms` }))
    }, HELLO_WITHIN_MS)
    transport.onClose(() => clearTimeout(timer))
    transport.onFrame(frame => {
      clearTimeout(timer)
      if (frame.k === 'hello') this.#hello(frame, transport)
      else transport.close(new Failure('frame_invalid', { reason: `${frame.k} came before hello` }))
    })
  }

  open({ profile: wanted, session, tab }: Parameters<BrowserPort['open']>[0]): BrowserSession {
    const profile = chooseProfile([...this.#profiles.values()], wanted)
    return {
      profile: { id: profile.id, name: profile.name },
      session,
      call: async (method, params, options) => {
        const link = await this.#linkOf(profile, options)
        return await link.call(method, addressed(method, params, { session, tab }), options)
      },
      onCapture: listener => this.#onCapture(profile.id, session, listener),
    }
  }

  /**
   * Resolves when `open` would find a browser. When this companion has just started, the browsers that lost
   * the one before are on their way: waits for them; otherwise it resolves at once.
   */
  async settled({ signal, deadline }: CallOptions): Promise<void> {
    const until = Math.min(this.#startedAt + AWAY_MS, deadline)
    await this.#changed(
      () => [...this.#profiles.values()].some(profile => profile.link !== null),
      until,
      signal,
    )
  }

  /** Waits for a linked browser, then pings each one anew. Gives the links that answered before the deadline. */
  async prove(options: CallOptions): Promise<LinkState[]> {
    const linked = () => [...this.#profiles.values()].filter(profile => profile.link !== null)
    await this.#changed(() => linked().length > 0, options.deadline, options.signal)
    const proofs = await Promise.all(
      linked().map(async profile => ((await profile.link?.proves(options)) ? profile.state() : null)),
    )
    return proofs.filter(state => state !== null)
  }

  links(): LinkState[] {
    return [...this.#profiles.values()].map(profile => profile.state())
  }

  /** Called after every change of `links()`; returns what ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Tells all linked extensions that the state record changed. */
  sendStatus(status: Status): void {
    for (const { link } of this.#profiles.values()) link?.sendStatus(status)
  }

  #hello(hello: FrameOf<'hello'>, transport: LinkTransport): void {
    const profile = this.#profileOf(hello)
    const skew = versionSkew({ ...EXTENSION, protocol: hello.protocol }, COMPANION)
    profile.link?.close('replaced')
    if (skew !== null) {
      profile.refuse(hello, skew)
      transport.close(skew)
    } else {
      const { version, person, log } = this.#settings
      const link: Link = new Link({
        ...{ transport, hello, version, person, log },
        onEvent: (name, data) => this.#event(profile.id, name, data),
        onChange: () => {
          profile.update(link.cause)
          this.#announce()
        },
        onEnd: () => {
          if (profile.link !== link) return
          profile.lost(link.cause)
          this.#announce()
        },
      })
      profile.linked(link)
      this.#settings.onLinked?.(profile.id)
    }
    this.#announce()
  }

  #profileOf(hello: FrameOf<'hello'>): Profile {
    const profile = this.#profiles.get(hello.profile.id) ?? new Profile(hello)
    this.#profiles.set(profile.id, profile)
    for (const old of this.#profiles.values()) {
      if (this.#profiles.size <= MAX_PROFILES) break
      if (old.link === null && old !== profile) this.#profiles.delete(old.id)
    }
    return profile
  }

  #event<E extends WireEvent>(profileId: string, name: E, data: WireEventData<E>): void {
    const { traffic } = this.#settings
    // The name says which data it has, which TypeScript cannot tell of a generic one.
    if (name === 'traffic.updates') {
      const { session, ...told } = data as WireEventData<'traffic.updates'>
      traffic.accept({ profile: profileId, session }, told)
    }
    if (name === 'console.lines') {
      const { session, lines } = data as WireEventData<'console.lines'>
      traffic.acceptLines({ profile: profileId, session }, lines)
    }
    if (name !== 'capture.entry') return
    const { session, entry } = data as WireEventData<'capture.entry'>
    for (const listener of this.#captures.get(captureKey(profileId, session)) ?? []) listener(entry)
  }

  #onCapture(profileId: string, session: string, listener: (entry: CaptureEntry) => void): () => void {
    const key = captureKey(profileId, session)
    const listeners = this.#captures.get(key) ?? new Set()
    this.#captures.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#captures.get(key) === listeners) this.#captures.delete(key)
    }
  }

  /** A link that can be relied on; waits for one where it has just gone, or turns out to be dead. */
  async #linkOf(profile: Profile, options: CallOptions): Promise<Link> {
    if (await profile.link?.isAlive()) {
      // It may have ended, or been replaced, while its host was looked at.
      if (profile.link !== null) return profile.link
    }
    return await this.#return(profile, options)
  }

  /** Waits for a profile that is briefly away. */
  async #return(profile: Profile, { signal, deadline }: CallOptions): Promise<Link> {
    const started = Date.now()
    if (profile.isUsable)
      await this.#changed(
        () => profile.link !== null || profile.refused !== null,
        Math.min(started + AWAY_MS, deadline),
        signal,
      )
    if (profile.link !== null) return profile.link
    if (Date.now() >= deadline)
      throw new Failure('deadline_exceeded', { action: 'linking the browser', ms: Date.now() - started })
    throw noneLinked([profile])
  }

  /** Resolves when the condition holds or the time is over. Fails as the signal says. */
  #changed(condition: () => boolean, until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', cancel)
        this.#listeners.delete(look)
        act()
      }
      const cancel = () => settle(() => reject(abortedBy(signal)))
      const look = () => {
        if (condition()) settle(resolve)
      }
      const timer = setTimeout(() => settle(resolve), Math.max(0, until - Date.now()))
      signal.addEventListener('abort', cancel)
      this.#listeners.add(look)
      if (signal.aborted) cancel()
      else look()
    })
  }

  #announce(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

const captureKey = (profileId: string, session: string): string => `${profileId}\n${session}`

/** Not every method is about a session. */
function addressed<M extends WireMethod>(
  method: M,
  params: Omit<WireParams<M>, 'session'>,
  { session, tab }: { session: string; tab: string | undefined },
): WireParams<M> {
  const { shape } = WIRE[method].params
  const where = {
    ...('session' in shape && { session }),
    ...('tab' in shape && tab !== undefined && { tab }),
  }
  // Omit and the conditional keys give back what WireParams<M> is, which the compiler cannot see for a generic M.
  return { ...where, ...params } as WireParams<M>
}
