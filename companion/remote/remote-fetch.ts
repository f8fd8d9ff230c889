import type { RemoteCookies } from './remote-cookies.ts'

interface HeaderRule {
  id: number
  action: { requestHeaders?: { header: string; operation: string; value?: string }[] }
  condition: { urlFilter?: string; requestMethods?: string[] }
}

/**
 * What an extension's worker has in a browser: a fetch that sends the browser's cookies, and rules that set headers
 * of its own requests. The requests leave from this machine, not from the remote browser's.
 */
export class RemoteFetch {
  readonly #cookies: RemoteCookies
  readonly #fetch: typeof fetch
  readonly #rules = new Map<number, HeaderRule>()

  constructor(cookies: RemoteCookies, own: typeof fetch) {
    this.#cookies = cookies
    this.#fetch = own
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const url = String(input instanceof Request ? input.url : input)
    const headers = new Headers(init.headers)
    if (init.credentials === 'include') {
      const sent = (await this.#cookies.getAll({ url })).map(({ name, value }) => `${name}=${value}`)
      if (sent.length > 0) headers.set('cookie', sent.join('; '))
    }
    for (const rule of this.#rules.values())
      if (applies(rule, url, init.method ?? 'GET')) rewrite(headers, rule)
    return await this.#fetch(input, { ...init, headers })
  }

  readonly getSessionRules = async (): Promise<HeaderRule[]> => [...this.#rules.values()]

  readonly updateSessionRules = async ({
    addRules = [],
    removeRuleIds = [],
  }: {
    addRules?: HeaderRule[]
    removeRuleIds?: number[]
  }): Promise<void> => {
    for (const id of removeRuleIds) this.#rules.delete(id)
    for (const rule of addRules) this.#rules.set(rule.id, rule)
  }
}

function applies(
  { condition: { urlFilter = '', requestMethods } }: HeaderRule,
  url: string,
  method: string,
): boolean {
  const start = urlFilter.replace(/^\|/, '')
  return url.startsWith(start) && (requestMethods?.includes(method.toLowerCase()) ?? true)
}

function rewrite(headers: Headers, { action }: HeaderRule): void {
  for (const { header, operation, value } of action.requestHeaders ?? []) {
    // How a connection is used is fetch's own affair here: it repeats nothing.
    if (header.toLowerCase() === 'connection') continue
    if (operation === 'remove' || value === undefined) headers.delete(header)
    else headers.set(header, value)
  }
}
