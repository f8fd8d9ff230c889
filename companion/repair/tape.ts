import type { BrowserPort, BrowserSession } from '../ports/browser.ts'
import type { HttpFactory, HttpRequest, HttpResponse } from '../ports/http.ts'

export interface Answered {
  /** As it was asked for. */
  asked: string
  response: HttpResponse
}

/** Keeps what a site answered while a repair looks for the right patch, so that each address is asked once. */
export class Tape {
  readonly answers: Answered[] = []
  readonly #responses = new Map<string, HttpResponse>()
  readonly #pages = new Map<string, unknown>()

  http = (live: HttpFactory): HttpFactory => ({
    open: (strategy, site) => {
      const client = live.open(strategy, site)
      return {
        ...client,
        stream: (request, options) => client.stream(request, options),
        request: async (request, options) => {
          const key = keyOf(request)
          const known = this.#responses.get(key)
          const response = known ?? (await client.request(request, options))
          if (known === undefined) {
            this.#responses.set(key, response)
            this.answers.push({ asked: request.url, response })
          }
          return response
        },
      }
    },
  })

  browser = (live: BrowserPort): BrowserPort => ({
    links: () => live.links(),
    settled: options => live.settled(options),
    open: request => this.#session(live.open(request)),
  })

  /** Loading a page and reading it are kept; whatever else a plan does with a page is done again. */
  #session(session: BrowserSession): BrowserSession {
    let url = ''
    const call: BrowserSession['call'] = async (method, params, options) => {
      if (method !== 'page.navigate' && method !== 'page.html') return session.call(method, params, options)
      const key = `${method} ${url} ${JSON.stringify(params)}`
      const known = this.#pages.get(key)
      const result = known ?? (await session.call(method, params, options))
      this.#pages.set(key, result)
      if ('url' in params && typeof params.url === 'string') url = params.url
      return result as Awaited<ReturnType<typeof session.call<typeof method>>> as never
    }
    return { profile: session.profile, session: session.session, call, onCapture: session.onCapture }
  }
}

const keyOf = ({ method, url, body }: HttpRequest): string => `${method} ${url} ${String(body ?? '')}`
