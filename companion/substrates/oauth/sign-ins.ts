import { z } from 'zod'
import { orAborted } from '../../../shared/abort.ts'
import { Failure } from '../../../shared/failures.ts'
import type { DeviceCheck, DevicePrompt, SecretPort, Service, SignInPort } from '../../ports/auth.ts'
import type { LogPort } from '../../ports/log.ts'
import {
  type Asked,
  askForDevice,
  Endpoints,
  endpointsOf,
  type Grant,
  pollDevice,
  renew,
  revoke,
} from './protocol.ts'

/** What RFC 8628 says when the service does not. */
const DEFAULT_INTERVAL_S = 5
const SLOWER_S = 5
/** A token is renewed when so little, or a tenth of its life, is left: a request with it takes a while. */
const MARGIN_MS = 60_000
const REQUEST_WITHIN_MS = 30_000

/** Where and for what a sign-in was begun: a description that changes later does not send its tokens elsewhere. */
const bound = { endpoints: Endpoints, client_id: z.string(), origins: z.array(z.string()) }
const Pending = z.object({
  ...bound,
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().nullable(),
  interval: z.number(),
  scopes: z.array(z.string()),
  /** Epoch ms, as all times here. */
  expires_at: z.number(),
  next_poll_at: z.number(),
})
type Pending = z.infer<typeof Pending>
const Tokens = z.object({
  ...bound,
  access_token: z.string(),
  refresh_token: z.string().nullable(),
  obtained_at: z.number(),
  expires_at: z.number().nullable(),
  scopes: z.array(z.string()),
})
type Tokens = z.infer<typeof Tokens>

export interface SignInsOptions {
  secrets: SecretPort
  log: LogPort
  now?: () => number
}

export const createSignIns = (options: SignInsOptions): SignInPort => new SignIns(options)

class SignIns implements SignInPort {
  readonly #secrets: SecretPort
  readonly #log: LogPort
  readonly #now: () => number
  /** The last thing that each service does: one at a time, so that a code is asked and a token renewed once. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor({ secrets, log, now = Date.now }: SignInsOptions) {
    this.#secrets = secrets
    this.#log = log
    this.#now = now
  }

  start: SignInPort['start'] = (service, options) =>
    this.#inTurn(service.name, options.signal, async signal => {
      const before = await this.#pending(service.name)
      if (before !== null && before.expires_at > this.#now() && before.client_id === service.clientId)
        return this.#promptOf(service.name, before)
      const pending = await this.#begin(service, signal)
      await this.#secrets.put(pendingName(service.name), pending)
      return this.#promptOf(service.name, pending)
    })

  check: SignInPort['check'] = (service, options) =>
    this.#inTurn(service, options.signal, async signal => {
      const pending = await this.#pending(service)
      if (pending !== null) return this.#checkPending(service, pending, signal)
      const tokens = await this.#tokens(service)
      return tokens === null ? { state: 'none' } : authorized(tokens)
    })

  token: SignInPort['token'] = async ({ service, url, refused }, options) => {
    const tokens = await this.#tokens(service)
    if (tokens === null) throw signedOut(service, 'nobody is signed in')
    const { origin } = new URL(url)
    if (!tokens.origins.includes(origin))
      throw new Failure('origin_not_allowed', { origin, allowed: tokens.origins })
    if (tokens.access_token !== refused && !this.#isDue(tokens)) return tokens.access_token
    const renewed = await this.#inTurn(service, options.signal, signal =>
      this.#renewed(service, refused, signal),
    )
    return renewed.access_token
  }

  state: SignInPort['state'] = async service => {
    const [pending, tokens] = [await this.#pending(service), await this.#tokens(service)]
    const waits = pending !== null && pending.expires_at > this.#now()
    const lives = tokens !== null && (tokens.refresh_token !== null || !this.#isOver(tokens))
    return {
      service,
      state: lives ? 'logged_in' : waits ? 'pending' : 'logged_out',
      scopes: tokens?.scopes ?? [],
      expires_at: tokens?.expires_at ?? null,
      renews: tokens?.refresh_token != null,
    }
  }

  forget: SignInPort['forget'] = (service, options) =>
    this.#inTurn(service, options.signal, async signal => {
      const revoked = await this.#revoke(service, signal)
      const dropped = [
        await this.#secrets.drop(pendingName(service)),
        await this.#secrets.drop(tokenName(service)),
      ]
      return { forgot: dropped.includes(true), revoked }
    })

  async #begin(service: Service, signal: AbortSignal): Promise<Pending> {
    const { name, clientId, scopes, origins } = service
    if (clientId === null)
      throw new Failure('config_invalid', {
        key: `services.${name}.client_id`,
        reason: `it is not set${service.setup === null ? '' : `; ${service.setup}`}`,
      })
    const endpoints = await endpointsOf(service, signal)
    if (endpoints.device === null)
      throw new Failure('unsupported', {
        what: 'Signing in with a code',
        where: name,
        hint: `Set services.${name}.device_authorization_endpoint if the service has one.`,
      })
    const answer = await askForDevice({ service: name, clientId, endpoints, signal }, scopes)
    const interval = answer.interval ?? DEFAULT_INTERVAL_S
    return {
      ...{ endpoints, client_id: clientId, origins: [...origins], scopes: [...scopes], interval },
      device_code: answer.device_code,
      user_code: answer.user_code,
      verification_uri: answer.verification_uri,
      verification_uri_complete: answer.verification_uri_complete ?? null,
      expires_at: this.#now() + answer.expires_in * 1000,
      next_poll_at: this.#now() + interval * 1000,
    }
  }

  async #checkPending(service: string, pending: Pending, signal: AbortSignal): Promise<DeviceCheck> {
    if (this.#now() >= pending.expires_at) return this.#ended(service, 'expired')
    if (this.#now() < pending.next_poll_at) return this.#stillPending(service, pending)
    const poll = await pollDevice(askedOf(service, pending, signal), pending.device_code)
    if (poll.state === 'denied' || poll.state === 'expired') return this.#ended(service, poll.state)
    if (poll.state === 'authorized') {
      const { endpoints, client_id, origins } = pending
      const tokens = this.#tokensOf(poll.grant, { endpoints, client_id, origins }, pending.scopes)
      await this.#secrets.put(tokenName(service), tokens)
      await this.#secrets.drop(pendingName(service))
      return authorized(tokens)
    }
    const interval =
      poll.state === 'slow_down'
        ? Math.max(pending.interval + SLOWER_S, poll.interval ?? 0)
        : pending.interval
    const next = { ...pending, interval, next_poll_at: this.#now() + interval * 1000 }
    await this.#secrets.put(pendingName(service), next)
    return this.#stillPending(service, next)
  }

  async #ended(service: string, state: 'expired' | 'denied'): Promise<DeviceCheck> {
    await this.#secrets.drop(pendingName(service))
    return { state }
  }

  #stillPending(service: string, pending: Pending): DeviceCheck {
    const wait = Math.max(0, pending.next_poll_at - this.#now())
    return {
      state: 'pending',
      prompt: this.#promptOf(service, pending),
      retry_after_s: Math.ceil(wait / 1000),
    }
  }

  #promptOf(service: string, pending: Pending): DevicePrompt {
    const { verification_uri, verification_uri_complete, user_code, interval, expires_at } = pending
    const expires_in = Math.max(0, Math.round((expires_at - this.#now()) / 1000))
    return { service, verification_uri, verification_uri_complete, user_code, expires_in, interval }
  }

  /** What is kept may have been renewed while this one waited for its turn. */
  async #renewed(service: string, refused: string | undefined, signal: AbortSignal): Promise<Tokens> {
    const tokens = await this.#tokens(service)
    if (tokens === null) throw signedOut(service, 'nobody is signed in')
    const isRefused = tokens.access_token === refused
    if (!isRefused && !this.#isDue(tokens)) return tokens
    const isUsable = !isRefused && !this.#isOver(tokens)
    if (tokens.refresh_token === null) {
      if (isUsable) return tokens
      throw signedOut(service, isRefused ? 'the token is no longer taken' : 'the token has expired')
    }
    const grant = await this.#renewal(service, tokens, { isUsable, signal })
    if (grant === null) return tokens
    const { endpoints, client_id, origins, scopes } = tokens
    const next = this.#tokensOf(grant, { endpoints, client_id, origins }, scopes, tokens.refresh_token)
    await this.#secrets.put(tokenName(service), next)
    return next
  }

  /** Null when it could not be had now and the old token still serves. */
  async #renewal(
    service: string,
    tokens: Tokens,
    { isUsable, signal }: { isUsable: boolean; signal: AbortSignal },
  ): Promise<Grant | null> {
    try {
      const grant = await renew(askedOf(service, tokens, signal), tokens.refresh_token ?? '')
      if (grant !== null) return grant
    } catch (error) {
      if (!isUsable) throw error
      this.#log.warn('a token could not be renewed yet', { service, error })
      return null
    }
    await this.#secrets.drop(tokenName(service))
    throw signedOut(service, 'the sign-in has ended')
  }

  async #revoke(service: string, signal: AbortSignal): Promise<boolean> {
    try {
      const tokens = await this.#tokens(service)
      if (tokens === null || tokens.endpoints.revocation === null) return false
      await revoke(askedOf(service, tokens, signal), tokens.refresh_token ?? tokens.access_token)
      return true
    } catch (error) {
      // To forget what is kept here is what was asked, whatever the service or the keychain says.
      this.#log.warn('a token could not be revoked', { service, error })
      return false
    }
  }

  #tokensOf(
    grant: Grant,
    where: Pick<Tokens, 'endpoints' | 'client_id' | 'origins'>,
    asked: readonly string[],
    refreshToken: string | null = null,
  ): Tokens {
    return {
      ...where,
      access_token: grant.access_token,
      // A service that rotates gives a new one each time; another keeps the first.
      refresh_token: grant.refresh_token ?? refreshToken,
      obtained_at: this.#now(),
      expires_at: grant.expires_in === null ? null : this.#now() + grant.expires_in * 1000,
      scopes: [...(grant.scopes ?? asked)],
    }
  }

  #isOver = ({ expires_at }: Tokens): boolean => expires_at !== null && this.#now() >= expires_at

  #isDue({ expires_at, obtained_at }: Tokens): boolean {
    if (expires_at === null) return false
    return this.#now() >= expires_at - Math.min(MARGIN_MS, (expires_at - obtained_at) / 10)
  }

  async #pending(service: string): Promise<Pending | null> {
    const kept = Pending.safeParse(await this.#secrets.get(pendingName(service)))
    return kept.success ? kept.data : null
  }

  async #tokens(service: string): Promise<Tokens | null> {
    const kept = Tokens.safeParse(await this.#secrets.get(tokenName(service)))
    return kept.success ? kept.data : null
  }

  /** Who waits may leave; what was begun ends all the same, for the next in turn and for what it may have changed. */
  #inTurn<T>(service: string, signal: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#turns.get(service) ?? Promise.resolve()
    const mine = before.then(() => {
      signal.throwIfAborted()
      const late = new Failure('deadline_exceeded', {
        action: `Signing in to ${service}`,
        ms: REQUEST_WITHIN_MS,
      })
      const own = new AbortController()
      const timer = setTimeout(() => own.abort(late), REQUEST_WITHIN_MS)
      return act(own.signal).finally(() => clearTimeout(timer))
    })
    const settled = mine.then(
      () => undefined,
      () => undefined,
    )
    this.#turns.set(service, settled)
    return orAborted(mine, signal)
  }
}

const pendingName = (service: string): string => `pending.${service}`
const tokenName = (service: string): string => `token.${service}`

const askedOf = (
  service: string,
  { endpoints, client_id }: Pending | Tokens,
  signal: AbortSignal,
): Asked => ({
  service,
  clientId: client_id,
  endpoints,
  signal,
})

const authorized = ({ expires_at, scopes }: Tokens): DeviceCheck => ({
  state: 'authorized',
  expires_at,
  scopes,
})

const signedOut = (service: string, reason: string): Failure =>
  new Failure('auth_required', { site: service, reason })
