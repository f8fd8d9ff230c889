import { Failure } from '../../../shared/failures.ts'
import type { FrameOf } from '../../../shared/frame.ts'
import type { LinkState } from '../../../shared/status.ts'
import type { Link } from './link.ts'

/** So long after its loss a link counts as briefly away: the browser is starting the worker or the host again. */
export const AWAY_MS = 3000

/** One browser profile that is or was linked. Sessions hold on to it across its links. */
export class Profile {
  readonly id: string
  #hello: FrameOf<'hello'>
  #link: Link | null = null
  /** Why it may not be used; null when it may. */
  #refused: Failure | null = null
  #cause: LinkState['cause'] = 'ok'
  #since = Date.now()
  #managed: string | null = null

  constructor(hello: FrameOf<'hello'>) {
    this.id = hello.profile.id
    this.#hello = hello
  }

  get name(): string {
    return this.#hello.profile.name
  }

  /** The name by which browser.launch started it; null for a person's own. */
  get managed(): string | null {
    return this.#managed
  }

  get link(): Link | null {
    return this.#link
  }

  get refused(): Failure | null {
    return this.#refused
  }

  /** Epoch ms of its last change. */
  get since(): number {
    return this.#since
  }

  /** It can be called, or it will be in a moment. */
  get isUsable(): boolean {
    return this.#link !== null || (this.#refused === null && Date.now() - this.#since < AWAY_MS)
  }

  linked(link: Link): void {
    this.#hello = link.hello
    this.#link = link
    this.#refused = null
    this.#managed = link.managed
    this.update(link.cause)
  }

  lost(cause: LinkState['cause']): void {
    this.#link = null
    this.update(cause)
  }

  refuse(hello: FrameOf<'hello'>, failure: Failure): void {
    this.#hello = hello
    this.#refused = failure
    this.update('version_skew')
  }

  update(cause: LinkState['cause']): void {
    const state = this.state()
    this.#cause = cause
    if (cause !== state.cause || this.state().state !== state.state) this.#since = Date.now()
  }

  state(): LinkState {
    const { profile, browser, version, protocol } = this.#hello
    return {
      profile: { id: profile.id, name: profile.name },
      browser: `${browser.name} ${browser.version}`,
      extension_version: version,
      protocol,
      state: this.#link !== null ? 'linked' : this.#refused !== null ? 'refused' : 'lost',
      cause: this.#cause,
      since: this.#since,
      rtt_ms: this.#link?.rttMs ?? null,
      managed: this.#managed,
    }
  }
}

/** Resolves the name of a profile. Fails with no_browser, profile_ambiguous, profile_unknown, version_skew. */
export function chooseProfile(profiles: readonly Profile[], wanted: string | null): Profile {
  const usable = profiles.filter(profile => profile.isUsable)
  if (wanted === null) {
    const [only, second] = usable
    if (only === undefined) throw noneLinked(profiles)
    if (second !== undefined) throw new Failure('profile_ambiguous', { profiles: labels(usable) })
    return only
  }
  const byId = usable.find(profile => profile.id === wanted)
  if (byId !== undefined) return byId
  const [named, second] = usable.filter(profile => profile.managed === wanted || profile.name === wanted)
  if (second !== undefined) throw new Failure('profile_ambiguous', { profiles: labels(usable) })
  if (named !== undefined) return named
  const known = profiles.find(profile => [profile.id, profile.name, profile.managed].includes(wanted))
  throw known?.refused ?? new Failure('profile_unknown', { name: wanted, profiles: labels(usable) })
}

export function noneLinked(profiles: readonly Profile[]): Failure {
  const refused = profiles.find(profile => profile.refused !== null)?.refused
  if (refused) return refused
  const [last] = [...profiles].sort((a, b) => b.since - a.since)
  return last === undefined
    ? new Failure('no_browser', { cause: 'never_linked', mend: 'unicli setup' })
    : new Failure('no_browser', { cause: last.state().cause, mend: 'unicli doctor' })
}

/** Names, with the id where two have the same. */
function labels(profiles: readonly Profile[]): string[] {
  const isShared = (name: string) => profiles.filter(profile => profile.name === name).length > 1
  return profiles.map(({ id, name }) => (isShared(name) ? `${name} (${id})` : name))
}
