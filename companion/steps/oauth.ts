import { createHash } from 'node:crypto'
import type * as Oauth from 'oauth4webapi'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import { defineStep, type StepContext } from '../kernel/step.ts'
import { addressOf } from './addresses.ts'
import { failOnStatus } from './answers.ts'
import { parsedOrText } from './messages.ts'

/** A token is not begun with that has less than this left. */
const SPARE_MS = 60_000
/** For a token that does not say how long it holds. */
const UNKNOWN_LIFE_S = 300

const envName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
const Token = z.strictObject({
  token_url: z.string().min(1).describe('token endpoint, absolute or relative to base'),
  grant: z.enum(['client_credentials', 'refresh_token']).default('client_credentials'),
  client_id_env: envName.describe('environment name of the client id; the adapter must declare it under env'),
  client_secret_env: envName.optional().describe('of the secret; without it the client is a public one'),
  refresh_token_env: envName.optional().describe('of the refresh token, for that grant'),
  auth: z.enum(['basic', 'post']).default('basic').describe('how id and secret are sent'),
  scope: z.string().min(1).optional(),
  params: z.record(z.string(), z.string()).default({}).describe('further fields, such as audience'),
  origins: z
    .array(z.url({ protocol: /^https?$/ }))
    .optional()
    .describe('where the token is sent to; default: the origin of base'),
})
type Params = z.output<typeof Token>

export const oauth2Token = defineStep({
  name: 'oauth2_token',
  aliases: ['oauth2-token'],
  doc: 'Get an OAuth 2.0 token, which later requests of the run carry and nothing else sees; the data passes on unchanged.',
  needs: ['http', 'credentials'],
  effect: 'inherits',
  effectOf: () => 'read',
  schema: Token,
  example: {
    token_url: 'https://auth.example.com/token',
    client_id_env: 'EXAMPLE_CLIENT_ID',
    client_secret_env: 'EXAMPLE_CLIENT_SECRET',
    scope: 'read',
  },
  run: async (ctx, params) => {
    const asked = grantOf(ctx, params)
    const value = ctx.credentials.recall(asked.key) ?? (await granted(ctx, asked))
    ctx.credentials.use({
      header: 'authorization',
      value: `Bearer ${value}`,
      origins: originsOf(params, ctx.scope.base),
    })
    return ctx.data
  },
})

/** What is asked of the endpoint, with its secrets, and a name for it without them. */
interface Grant {
  params: Params
  url: string
  id: string
  secret: string | null
  refresh: string | null
  key: string
}

function grantOf({ scope, credentials }: StepContext<'credentials'>, params: Params): Grant {
  const read = (name: string): string => secretOf(scope.env, name)
  const url = addressOf({ url: params.token_url }, scope.base)
  const id = read(params.client_id_env)
  const secret = params.client_secret_env === undefined ? null : read(params.client_secret_env)
  const first =
    params.grant === 'refresh_token' ? read(params.refresh_token_env ?? 'refresh_token_env') : null
  const key = createHash('sha256')
    .update(JSON.stringify([url, params.grant, id, secret, first, params.scope, params.params]))
    .digest('hex')
  // A server that gives a new refresh token with each answer no longer takes the one that it gave before.
  const refresh = first === null ? null : (credentials.recall(`${key} refresh`) ?? first)
  return { params, url, id, secret, refresh, key }
}

function secretOf(env: Readonly<Record<string, string>>, name: string): string {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  throw new Failure('config_invalid', {
    key: name,
    reason: "it is not set in the companion's environment, or the adapter does not declare it under env",
  })
}

function originsOf({ origins }: Params, base: string): string[] {
  if (origins !== undefined) return origins.map(url => new URL(url).origin)
  return URL.canParse(base) ? [new URL(base).origin] : []
}

async function granted(ctx: StepContext<'http' | 'credentials'>, grant: Grant): Promise<string> {
  const oauth = await import('oauth4webapi')
  const answer = await answerOf(ctx, grant, oauth)
  const life = (answer.expires_in ?? UNKNOWN_LIFE_S) * 1000 - SPARE_MS
  ctx.credentials.keep(grant.key, answer.access_token, Date.now() + life)
  if (answer.refresh_token !== undefined)
    ctx.credentials.keep(`${grant.key} refresh`, answer.refresh_token, Number.POSITIVE_INFINITY)
  return answer.access_token
}

async function answerOf(
  ctx: StepContext<'http'>,
  grant: Grant,
  oauth: typeof Oauth,
): Promise<Oauth.TokenEndpointResponse> {
  const { params, url, id, refresh } = grant
  // Only the token endpoint is used, so that the issuer is a name and nothing more.
  const server: Oauth.AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url }
  const client: Oauth.Client = { client_id: id }
  const fields = { ...params.params, ...(params.scope === undefined ? {} : { scope: params.scope }) }
  const options = {
    [oauth.customFetch]: fetchOver(ctx),
    // Whether an address may be reached without TLS, the run's own checks say.
    [oauth.allowInsecureRequests]: true,
  }
  const auth = authOf(oauth, grant)
  try {
    if (refresh !== null) {
      const more = { ...options, additionalParameters: fields }
      const response = await oauth.refreshTokenGrantRequest(server, client, auth, refresh, more)
      return await oauth.processRefreshTokenResponse(server, client, response)
    }
    const response = await oauth.clientCredentialsGrantRequest(server, client, auth, fields, options)
    return await oauth.processClientCredentialsResponse(server, client, response)
  } catch (error) {
    throw refusalOf(error, url)
  }
}

function authOf(oauth: typeof Oauth, { params, secret }: Grant): Oauth.ClientAuth {
  if (secret === null) return oauth.None()
  return params.auth === 'post' ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
}

type CustomFetch = (
  url: string,
  options: Oauth.CustomFetchOptions<'POST', URLSearchParams>,
) => Promise<Response>

/** A token request changes nothing at the site that a lost answer would leave in doubt. */
const fetchOver =
  (ctx: StepContext<'http'>): CustomFetch =>
  async (url, { method, headers, body }) => {
    const request = { url, method, headers, body: body.toString(), read: true }
    const response = await ctx.http.request(request, ctx)
    // The library reads the errors that the standard knows; walls and faults are ours to tell.
    if (!isOauthError(response.text)) failOnStatus(response)
    const { status, bytes, headers: shown } = response
    return new Response(new Uint8Array(bytes), { status, headers: typeOf(shown) })
  }

const typeOf = (headers: Record<string, string>): Record<string, string> =>
  headers['content-type'] === undefined ? {} : { 'content-type': headers['content-type'] }

function isOauthError(text: string): boolean {
  const answer = parsedOrText(text)
  return (
    typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string'
  )
}

/** The endpoint's own words, which hold no secret; nothing else that it said is repeated. */
function refusalOf(error: unknown, url: string): Failure {
  if (Failure.is(error)) return error
  const site = new URL(url).host
  const { name, message } = error as Error
  if (name === 'ResponseBodyError') {
    const { error: code, error_description: text } = error as Oauth.ResponseBodyError
    return new Failure('auth_required', { site, reason: text === undefined ? code : `${code}: ${text}` })
  }
  return new Failure('parse_failed', { what: `The token of ${url}`, reason: message })
}
