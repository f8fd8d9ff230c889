import { randomBytes } from 'node:crypto'
import { type Answer, type RecordedRequest, refusal } from './exchange.ts'

/** The one person who can log in. */
export const DEMO_ACCOUNT = { user: 'demo', password: 'demo', name: 'Demo 示例' } as const

export const SESSION_COOKIE = 'demo_session'
export const CSRF_COOKIE = 'csrftoken'

/** What the site knows about one login. The tokens guard the same writes in three customary ways. */
export interface Session {
  user: string
  name: string
  /** Given to the page in a cookie that scripts can read. */
  cookieToken: string
  /** Given to the page in `<meta name="csrf-token">`. */
  metaToken: string
  /** Given by `GET /api/csrf`. */
  issuedToken: string
}

/** Who is logged in: browsers by cookie, API clients by bearer token. Lives as long as the site. */
export class Accounts {
  readonly #sessions = new Map<string, Session>()
  readonly #bearers = new Map<string, Session>()

  /** Returns the Set-Cookie values of a new session, or undefined when user or password is wrong. */
  logIn(user: string, password: string): string[] | undefined {
    if (!isRight(user, password)) return undefined
    const id = secret()
    const session = newSession()
    this.#sessions.set(id, session)
    return [
      `${SESSION_COOKIE}=${id}; Path=/; HttpOnly; SameSite=Lax`,
      `${CSRF_COOKIE}=${session.cookieToken}; Path=/; SameSite=Lax`,
    ]
  }

  /** Ends the session of this request; returns the Set-Cookie values that clear the cookies. */
  logOut(request: RecordedRequest): string[] {
    this.#sessions.delete(request.cookies[SESSION_COOKIE] ?? '')
    return [SESSION_COOKIE, CSRF_COOKIE].map(name => `${name}=; Path=/; Max-Age=0`)
  }

  issueBearer(user: string, password: string): string | undefined {
    if (!isRight(user, password)) return undefined
    const token = secret()
    this.#bearers.set(token, newSession())
    return token
  }

  session(request: RecordedRequest): Session | undefined {
    return this.#sessions.get(request.cookies[SESSION_COOKIE] ?? '')
  }

  bearer(request: RecordedRequest): Session | undefined {
    const [scheme, token = ''] = (request.headers.authorization ?? '').split(' ')
    return scheme === 'Bearer' ? this.#bearers.get(token) : undefined
  }

  /** All cookies and tokens given so far stop working, as after a long absence. */
  expireAll(): void {
    this.#sessions.clear()
    this.#bearers.clear()
  }
}

/** Wraps a handler that only somebody logged in may reach; others get a 401 as JSON. */
export function forSignedIn(
  who: (request: RecordedRequest) => Session | undefined,
  handle: (request: RecordedRequest, session: Session) => Answer,
): (request: RecordedRequest) => Answer {
  return request => {
    const session = who(request)
    return session ? handle(request, session) : refusal(401, 'not_signed_in', 'Log in first.')
  }
}

function isRight(user: string, password: string): boolean {
  return user === DEMO_ACCOUNT.user && password === DEMO_ACCOUNT.password
}

function newSession(): Session {
  const { user, name } = DEMO_ACCOUNT
  return { user, name, cookieToken: secret(), metaToken: secret(), issuedToken: secret() }
}

function secret(): string {
  return randomBytes(24).toString('base64url')
}
