import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** A real OpenID provider on this computer, with a person who can be told to type a code into its pages. */
export interface OidcServer {
  issuer: string
  clientId: string
  /** Where a valid bearer is needed: answers who it is of. */
  userinfo: string
  /** The person types the code, logs in and agrees, or refuses. */
  person: { approve(userCode: string): Promise<void>; deny(userCode: string): Promise<void> }
  /** Every request to the token endpoint, by grant type, with when it came and what was answered. */
  readonly asked: { grant: string; at: number; status: number }[]
  /** Every token that was ever handed out. */
  readonly tokens: Set<string>
  /** Answers the next poll with `slow_down`, as a service does that is asked too often. */
  slowDownOnce(): void
  /** Takes back everything that was granted. */
  revokeAll(): Promise<void>
  close(): Promise<void>
}

export interface OidcSettings {
  /** Seconds. */
  accessTokenLife?: number
  deviceCodeLife?: number
  /** Seconds between polls; what it answers with. */
  interval?: number
}

const CLIENT_ID = 'unicli-test'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

export async function startOidcServer(settings: OidcSettings = {}): Promise<OidcServer> {
  const { accessTokenLife = 3600, deviceCodeLife = 600, interval = 1 } = settings
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_name: 'unicli under test',
        token_endpoint_auth_method: 'none',
        grant_types: [DEVICE_GRANT, 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
        redirect_uris: [],
        response_types: [],
      },
    ],
    jwks: { keys: [signingKey()] },
    cookies: { keys: [randomUUID()] },
    features: { deviceFlow: { enabled: true }, revocation: { enabled: true } },
    ttl: { AccessToken: accessTokenLife, DeviceCode: deviceCodeLife, RefreshToken: 86_400, IdToken: 3600 },
    issueRefreshToken: async () => true,
    findAccount: async (_, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
  })
  const watch = watchTokens(provider, interval)
  server.on('request', provider.callback())
  return {
    ...{ issuer, clientId: CLIENT_ID, userinfo: `${issuer}/me` },
    ...{ asked: watch.asked, tokens: watch.tokens, slowDownOnce: watch.slowDownOnce },
    person: {
      approve: code => playPerson(issuer, code, true),
      deny: code => playPerson(issuer, code, false),
    },
    revokeAll: async () => {
      for (const grant of watch.grants) await provider.Grant.adapter.destroy(grant)
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Notes what the token endpoint is asked, and adds the parts of RFC 8628 that the provider leaves to its host. */
function watchTokens(provider: Provider, interval: number) {
  const asked: OidcServer['asked'] = []
  const tokens = new Set<string>()
  const grants = new Set<string>()
  let slow = false
  provider.on('grant.saved', grant => grants.add(grant.jti))
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.path === '/device/auth' && ctx.status === 200) {
      const body = ctx.body as Record<string, unknown>
      tokens.add(String(body.device_code))
      ctx.body = { ...body, interval }
    }
    if (ctx.path !== '/token') return
    const grant = String(ctx.oidc?.params?.grant_type)
    if (slow && grant === DEVICE_GRANT) {
      slow = false
      ctx.status = 400
      ctx.body = { error: 'slow_down' }
    }
    asked.push({ grant: grant === DEVICE_GRANT ? 'device' : grant, at: Date.now(), status: ctx.status })
    const body = ctx.body as Record<string, unknown>
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (typeof body[name] === 'string') tokens.add(body[name])
  })
  const slowDownOnce = () => {
    slow = true
  }
  return { asked, tokens, grants, slowDownOnce }
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'ES256' }
}

/** A browser of few words: follows redirects, keeps cookies, sends the forms that it is shown. */
class Visitor {
  readonly #cookies = new Map<string, string>()

  async open(url: string, body: URLSearchParams | null = null): Promise<{ url: string; html: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: cookie === '' ? {} : { cookie },
      ...(body !== null && { method: 'POST', body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split(/=(.*)/s) ?? []
      if (value === '') this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return location === null ? { url, html: await response.text() } : this.open(new URL(location, url).href)
  }

  /** Sends the form of a page with its hidden fields and these. */
  submit(page: { url: string; html: string }, fields: Record<string, string>) {
    const action = /<form[^>]*\saction="([^"]+)"/.exec(page.html)?.[1] ?? page.url
    const hidden = [...page.html.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([tag]) => [
      /name="([^"]+)"/.exec(tag)?.[1] ?? '',
      /value="([^"]*)"/.exec(tag)?.[1] ?? '',
    ])
    const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields })
    return this.open(new URL(action, page.url).href, body)
  }
}

async function playPerson(issuer: string, userCode: string, agrees: boolean): Promise<void> {
  const visitor = new Visitor()
  const entry = await visitor.open(`${issuer}/device`)
  const confirm = await visitor.submit(entry, { user_code: userCode })
  if (!confirm.html.includes('Confirm Device')) throw new Error(`The code was not taken:\n${confirm.html}`)
  if (!agrees) {
    await visitor.submit(confirm, { abort: 'yes' })
    return
  }
  const login = await visitor.submit(confirm, {})
  const consent = await visitor.submit(login, { prompt: 'login', login: 'mei', password: 'any' })
  const done = await visitor.submit(consent, { prompt: 'consent' })
  if (!done.html.includes('Sign-in Success')) throw new Error(`The sign-in did not end well:\n${done.html}`)
}
