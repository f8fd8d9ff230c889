import { createServer, type Server, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { Accounts, DEMO_ACCOUNT } from './site/accounts.ts'
import { controlsPage } from './site/controls-page.ts'
import { type Answer, type RecordedRequest, type Routes, readRequest, refusal } from './site/exchange.ts'
import { feedPages } from './site/feed-pages.ts'
import { guardedWrites } from './site/guarded-writes.ts'
import { type Note, Notebook } from './site/notes.ts'
import { notesPages } from './site/notes-pages.ts'
import { troubledAnswers } from './site/troubled-answers.ts'

/** A small real site: "Demo Notes" with a login, its API, and pages for the harder cases. */
export interface FixtureSite {
  /** Without a trailing slash. */
  url: string
  user: string
  password: string
  /** Every request received so far, in the order of arrival; the newest 10,000 are kept. */
  requests: readonly RecordedRequest[]
  /** How many requests of this method and path have arrived, whatever was answered. */
  count(method: string, path: string): number
  /** Resolves with the next request of this method and path as soon as it has arrived. */
  nextRequest(method: string, path: string): Promise<RecordedRequest>
  /** The notes, newest first. */
  notes(): readonly Note[]
  /** Ends all sessions and bearer tokens, as a long absence does. */
  expireSessions(): void
  stop(): Promise<void>
}

const KEPT_REQUESTS = 10_000

/**
 * Starts the site on a port of 127.0.0.1 that the system chooses. Any path takes `?ms=` to answer that much
 * later, and `?drop=1` to do the work but hang up instead of answering.
 */
export async function startFixtureSite(): Promise<FixtureSite> {
  const accounts = new Accounts()
  const notebook = new Notebook()
  const routes: Routes = {
    ...notesPages(accounts, notebook),
    ...guardedWrites(accounts, notebook),
    ...feedPages(),
    ...controlsPage(),
    ...troubledAnswers(),
  }
  const log = new RequestLog()
  const server = createServer((incoming, response) => {
    // A request that breaks off never arrived: it is not logged, and there is nobody to answer.
    readRequest(log.nextId(), incoming)
      .then(
        request => serve(request, response, routes, log),
        () => response.destroy(),
      )
      .catch(error => {
        console.error(error)
        response.destroy()
      })
  })
  return {
    url: await listen(server),
    user: DEMO_ACCOUNT.user,
    password: DEMO_ACCOUNT.password,
    requests: log.requests,
    count: (method, path) => log.count(method, path),
    nextRequest: (method, path) => log.next(method, path),
    notes: () => notebook.list(),
    expireSessions: () => accounts.expireAll(),
    stop: () => close(server),
  }
}

class RequestLog {
  readonly requests: RecordedRequest[] = []
  readonly #counts = new Map<string, number>()
  readonly #waiting = new Map<string, ((request: RecordedRequest) => void)[]>()
  #lastId = 0

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  add(request: RecordedRequest): void {
    const key = `${request.method} ${request.path}`
    this.requests.push(request)
    if (this.requests.length > KEPT_REQUESTS) this.requests.shift()
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
    const waiting = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    for (const resolve of waiting) resolve(request)
  }

  count(method: string, path: string): number {
    return this.#counts.get(`${method} ${path}`) ?? 0
  }

  next(method: string, path: string): Promise<RecordedRequest> {
    return new Promise(resolve => {
      const key = `${method} ${path}`
      this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), resolve])
    })
  }
}

async function serve(request: RecordedRequest, response: ServerResponse, routes: Routes, log: RequestLog) {
  const gone = new AbortController()
  response.once('close', () => {
    if (request.outcome === 'pending') request.outcome = 'aborted'
    gone.abort()
  })
  log.add(request)
  const answer = answerTo(request, routes)
  const ms = Number(request.query.get('ms') ?? 0)
  if (ms > 0 && !(await passes(ms, gone.signal))) return
  if (request.query.get('drop') === '1') return response.destroy()
  request.outcome = 'answered'
  request.status = answer.status
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

function answerTo(request: RecordedRequest, routes: Routes): Answer {
  const handle = routes[`${request.method} ${request.path}`]
  if (handle) return handle(request)
  return refusal(404, 'not_found', `There is nothing at ${request.method} ${request.path}.`)
}

/** Whether the time went by before the client went away. */
async function passes(ms: number, gone: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal: gone }).catch(() => false)
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('The site has no port.'))
      else resolve(`http://127.0.0.1:${address.port}`)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error => (error ? reject(error) : resolve()))
    server.closeAllConnections()
  })
}
