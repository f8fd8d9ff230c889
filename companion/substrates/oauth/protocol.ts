import type { AuthorizationServer, CustomFetchOptions, TokenEndpointResponse } from 'oauth4webapi'
import { z } from 'zod'
import { Failure } from '../../../shared/failures.ts'
import type { Service } from '../../ports/auth.ts'

/** Where a service answers; all are addresses. */
export const Endpoints = z.object({
  issuer: z.string(),
  device: z.string().nullable(),
  token: z.string(),
  revocation: z.string().nullable(),
})
export type Endpoints = z.infer<typeof Endpoints>

/** What every request here needs. */
export interface Asked {
  service: string
  clientId: string
  endpoints: Endpoints
  signal: AbortSignal
}

export interface Grant {
  access_token: string
  /** Seconds; null when it does not expire. */
  expires_in: number | null
  refresh_token: string | null
  /** Null when the service does not say. */
  scopes: readonly string[] | null
}

export type Poll =
  | { state: 'authorized'; grant: Grant }
  | { state: 'pending' | 'denied' | 'expired' }
  /** `interval`: seconds, where the service names them. */
  | { state: 'slow_down'; interval: number | null }

/** Big, and wanted at sign-ins alone. */
const library = () => import('oauth4webapi')

/** Asks the issuer for what the service does not say itself. Fails with config_invalid and as requests do. */
export async function endpointsOf(service: Service, signal: AbortSignal): Promise<Endpoints> {
  const { issuer, deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint } = service
  const asked = tokenEndpoint === null ? await discover(service, signal) : null
  const token = tokenEndpoint ?? asked?.token_endpoint
  if (token === undefined) throw misdescribed(service.name, 'issuer', 'it names no token endpoint')
  const endpoints = {
    issuer: issuer ?? asked?.issuer ?? new URL(token).origin,
    device: deviceAuthorizationEndpoint ?? asked?.device_authorization_endpoint ?? null,
    token,
    revocation: revocationEndpoint ?? asked?.revocation_endpoint ?? null,
  }
  for (const url of [endpoints.device, endpoints.token, endpoints.revocation])
    if (url !== null && !isPrivate(url))
      throw misdescribed(service.name, 'issuer', `${url} is not https: tokens do not go there`)
  return endpoints
}

async function discover(service: Service, signal: AbortSignal): Promise<AuthorizationServer> {
  const { name, issuer } = service
  if (issuer === null)
    throw misdescribed(name, 'issuer', 'neither it nor services.<name>.token_endpoint is set')
  if (!isPrivate(issuer)) throw misdescribed(name, 'issuer', 'it is not https')
  const oauth = await library()
  return translated({ service: name, url: issuer, signal }, async () => {
    const url = new URL(issuer)
    const ask = (algorithm: 'oidc' | 'oauth2') =>
      oauth.discoveryRequest(url, { algorithm, ...requestOptions(oauth, signal) })
    const first = await ask('oidc')
    return oauth.processDiscoveryResponse(url, first.status === 404 ? await ask('oauth2') : first)
  })
}

export async function askForDevice(asked: Asked, scopes: readonly string[]) {
  const oauth = await library()
  const { server, client } = partiesOf(asked)
  const parameters: Record<string, string> = scopes.length === 0 ? {} : { scope: scopes.join(' ') }
  const url = asked.endpoints.device ?? asked.endpoints.issuer
  return translated({ ...asked, url }, async () => {
    const options = requestOptions(oauth, asked.signal)
    const response = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options)
    return oauth.processDeviceAuthorizationResponse(server, client, response)
  })
}

/** One question whether the person is done. */
export async function pollDevice(asked: Asked, deviceCode: string): Promise<Poll> {
  const oauth = await library()
  const { server, client } = partiesOf(asked)
  return translated({ ...asked, url: asked.endpoints.token }, async () => {
    const options = requestOptions(oauth, asked.signal)
    try {
      const response = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), deviceCode, options)
      const tokens = await oauth.processDeviceCodeResponse(server, client, response)
      return { state: 'authorized', grant: grantOf(tokens) }
    } catch (error) {
      const poll = error instanceof oauth.ResponseBodyError ? pollOf(error.error, error.cause.interval) : null
      if (poll === null) throw error
      return poll
    }
  })
}

/** Null when the service takes the refresh token no more. */
export async function renew(asked: Asked, refreshToken: string): Promise<Grant | null> {
  const oauth = await library()
  const { server, client } = partiesOf(asked)
  return translated({ ...asked, url: asked.endpoints.token }, async () => {
    const options = requestOptions(oauth, asked.signal)
    try {
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        oauth.None(),
        refreshToken,
        options,
      )
      return grantOf(await oauth.processRefreshTokenResponse(server, client, response))
    } catch (error) {
      // GitHub has a name of its own for it.
      const ended =
        error instanceof oauth.ResponseBodyError &&
        (error.error === 'invalid_grant' || error.error === 'bad_refresh_token')
      if (!ended) throw error
      return null
    }
  })
}

export async function revoke(asked: Asked, token: string): Promise<void> {
  const oauth = await library()
  const { server, client } = partiesOf(asked)
  const url = asked.endpoints.revocation ?? asked.endpoints.issuer
  return translated({ ...asked, url }, async () => {
    const options = requestOptions(oauth, asked.signal)
    const response = await oauth.revocationRequest(server, client, oauth.None(), token, options)
    await oauth.processRevocationResponse(response)
  })
}

function partiesOf({ endpoints, clientId }: Asked) {
  const server: AuthorizationServer = {
    issuer: endpoints.issuer,
    token_endpoint: endpoints.token,
    ...(endpoints.device !== null && { device_authorization_endpoint: endpoints.device }),
    ...(endpoints.revocation !== null && { revocation_endpoint: endpoints.revocation }),
  }
  return { server, client: { client_id: clientId } }
}

function pollOf(error: string, interval: unknown): Poll | null {
  switch (error) {
    case 'authorization_pending':
      return { state: 'pending' }
    case 'slow_down':
      return { state: 'slow_down', interval: typeof interval === 'number' ? interval : null }
    case 'access_denied':
      return { state: 'denied' }
    case 'expired_token':
      return { state: 'expired' }
    default:
      return null
  }
}

function grantOf(tokens: TokenEndpointResponse): Grant {
  const { access_token, expires_in, refresh_token, scope } = tokens
  return {
    access_token,
    expires_in: expires_in ?? null,
    refresh_token: refresh_token ?? null,
    // The standard parts them by spaces, GitHub by commas.
    scopes: scope === undefined ? null : scope.split(/[\s,]+/).filter(Boolean),
  }
}

/** Addresses that others on the way cannot read: https, or this computer. */
function isPrivate(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

type Sent = CustomFetchOptions<'GET' | 'POST', URLSearchParams | undefined>
type Library = Awaited<ReturnType<typeof library>>

const requestOptions = (oauth: Library, signal: AbortSignal) => ({
  signal,
  // `endpointsOf` has judged the addresses, with this computer's own allowed.
  [oauth.allowInsecureRequests]: true,
  [oauth.customFetch]: fetchAnswer,
})

/**
 * GitHub tells errors with status 200; by the standard they are 400, and that is what the library reads. An id token is
 * left out: who the person is does not matter here, and what is not kept need not be checked.
 */
async function fetchAnswer(url: string, { method, headers, body, signal }: Sent): Promise<Response> {
  const response = await fetch(url, {
    ...{ method, headers, redirect: 'manual' },
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  })
  if (response.status === 429) throw new Failure('rate_limited', { site: url, retry_after_s: null })
  if (response.status >= 500) throw new Failure('upstream_unavailable', { status: response.status, url })
  if (response.status !== 200 || !/json/i.test(response.headers.get('content-type') ?? '')) return response
  const answer = JsonObject.safeParse(await response.json())
  if (!answer.success)
    throw new Failure('parse_failed', { what: `What ${url} answered`, reason: 'no object' })
  const { id_token: _, ...rest } = answer.data
  const isError = typeof rest.error === 'string' && rest.access_token === undefined
  return Response.json(rest, { status: isError ? 400 : 200 })
}
const JsonObject = z.record(z.string(), z.unknown())

/** Errors of the library may carry whole answers, and so tokens: only their words go on, never they themselves. */
async function translated<T>(
  { service, url, signal }: { service: string; url: string; signal: AbortSignal },
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (Failure.is(error)) throw error
    if (signal.aborted && Failure.is(signal.reason)) throw signal.reason
    throw failureOf(error, service, url)
  }
}

function failureOf(error: unknown, service: string, url: string): Failure {
  if (!(error instanceof Error)) return new Failure('internal', { reason: 'a sign-in threw no error' })
  if (error.name === 'ResponseBodyError' && 'error' in error) {
    const said = [error.error, 'error_description' in error ? error.error_description : undefined]
    const text = said.filter(part => typeof part === 'string').join(': ')
    if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
      return misdescribed(service, 'client_id', `the service refuses it (${text})`)
    if (error.error === 'invalid_scope')
      return misdescribed(service, 'scopes', `the service refuses them (${text})`)
    const status = 'status' in error ? Number(error.status) : 400
    return new Failure('http_error', { status, url, excerpt: text.slice(0, 300) })
  }
  if (error.name === 'TypeError' && error.cause instanceof Error) {
    const reason = 'code' in error.cause ? String(error.cause.code) : error.cause.message
    return new Failure('network_error', { url, reason })
  }
  return new Failure('parse_failed', { what: `What ${url} answered`, reason: error.message })
}

const misdescribed = (service: string, key: string, reason: string): Failure =>
  new Failure('config_invalid', { key: `services.${service}.${key}`, reason })
