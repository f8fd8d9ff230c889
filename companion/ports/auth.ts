import type { Cookie } from '../../shared/values.ts'
import type { CallOptions } from './browser.ts'

/** A service that people sign in to by OAuth 2.0, as data. What is null is asked of the issuer. */
export interface Service {
  /** Of [a-z0-9_-]. */
  name: string
  issuer: string | null
  deviceAuthorizationEndpoint: string | null
  tokenEndpoint: string | null
  revocationEndpoint: string | null
  /** Of the person's own registration; null when none is set. */
  clientId: string | null
  scopes: readonly string[]
  /** Origins that its tokens may be sent to, and no others. */
  origins: readonly string[]
  /** How to get a client id, in one sentence; null when nothing is known. */
  setup: string | null
}

/** What an adapter says of being logged in to its site. */
export interface SiteAuth {
  /** Service whose token goes along, to the service's own origins alone, under strategy header. */
  service?: string | undefined
  /** Operation that answers while somebody is logged in, and fails with an auth failure else. */
  probe?: string | undefined
  /** Expression on its answer that holds while somebody is logged in. */
  expect?: string | undefined
  /** The page to log in at, relative to base; base itself by default. */
  login?: string | undefined
  /** Cookies that are all there while somebody is logged in. */
  cookies?: readonly string[] | undefined
}

export interface ServicePort {
  /** Null when nobody described it. Fails with config_invalid. */
  get(name: string): Service | null
  /** Sorted by name. */
  list(): readonly Service[]
}

/** What a run may ask for: a bearer, never what renews it. */
export interface TokenPort {
  /**
   * The bearer of a service for a request to `url`, renewed before it expires; `refused` names the one that the
   * service no longer took, so that another is got. Fails with auth_required when nobody is signed in, with
   * origin_not_allowed when the token is not meant for that address, and as requests do.
   */
  token(request: { service: string; url: string; refused?: string }, options: CallOptions): Promise<string>
}

/** What a person must do to let a service's sign-in through. */
export interface DevicePrompt {
  service: string
  verification_uri: string
  /** The same with the code filled in, where the service has it. */
  verification_uri_complete: string | null
  user_code: string
  /** Seconds from now. */
  expires_in: number
  /** Seconds between two questions whether the person is done. */
  interval: number
}

export type DeviceCheck =
  | { state: 'pending'; prompt: DevicePrompt; retry_after_s: number }
  | { state: 'authorized'; expires_at: number | null; scopes: readonly string[] }
  | { state: 'expired' | 'denied' | 'none' }

export interface SignInState {
  service: string
  state: 'logged_in' | 'logged_out' | 'pending'
  scopes: readonly string[]
  /** Epoch ms; null when it does not expire or nobody is signed in. */
  expires_at: number | null
  /** Whether it is renewed without asking the person. */
  renews: boolean
}

/** Sign-ins by the device flow (RFC 8628), from the question to the tokens. */
export interface SignInPort extends TokenPort {
  /** The prompt that waits already, or a new one. Fails with config_invalid, unsupported, and as requests do. */
  start(service: Service, options: CallOptions): Promise<DevicePrompt>
  /** Asks the service, no sooner than it allows. Fails as requests do. */
  check(service: string, options: CallOptions): Promise<DeviceCheck>
  state(service: string): Promise<SignInState>
  /** Revokes what can be revoked and forgets the rest; whether there was anything. */
  forget(service: string, options: CallOptions): Promise<{ forgot: boolean; revoked: boolean }>
}

/** The cookie files of the person's own making, written by their word. */
export interface CookieStorePort {
  /** What a cookies.txt, an extension's export or Playwright's storage state holds. Fails with config_invalid. */
  parse(text: string, site: string): Cookie[]
  /** In place of what was kept of that site. */
  write(site: string, cookies: readonly Cookie[]): void
  /** False when there was none. */
  drop(site: string): boolean
}

/** Small secrets by name, kept so that a copy of the data folder alone tells none. Fails with state_unavailable. */
export interface SecretPort {
  /** Null when there is none of that name. */
  get(name: string): Promise<unknown>
  /** @param value plain JSON */
  put(name: string, value: unknown): Promise<void>
  /** False when there was none. */
  drop(name: string): Promise<boolean>
  /** Where the key to them lies, such as "secret-service" or "file"; null while nothing is kept. */
  keyPlace(): string | null
}
