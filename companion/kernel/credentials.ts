import type { Credential, CredentialPort } from '../ports/credentials.ts'
import type { HttpPort } from '../ports/http.ts'

/** Secrets that runs leave to later runs. They live in memory only, and end with the companion. */
export class Leases {
  readonly #kept = new Map<string, { value: string; until: number }>()

  recall(key: string): string | null {
    const lease = this.#kept.get(key)
    if (lease !== undefined && lease.until > Date.now()) return lease.value
    this.#kept.delete(key)
    return null
  }

  keep(key: string, value: string, until: number): void {
    this.#kept.set(key, { value, until })
  }
}

/** What a run has been given to send along. A header that a step names itself wins. */
export class Credentials implements CredentialPort {
  readonly #leases: Leases
  readonly #held: Credential[] = []

  constructor(leases: Leases) {
    this.#leases = leases
  }

  use(credential: Credential): void {
    this.#held.push(credential)
  }

  recall = (key: string): string | null => this.#leases.recall(key)

  keep = (key: string, value: string, until: number): void => this.#leases.keep(key, value, until)

  /** The client with what belongs to each address added. */
  over(http: HttpPort): HttpPort {
    const signed = <R extends { url: string; headers: Record<string, string> }>(request: R): R => ({
      ...request,
      headers: { ...this.#for(request.url), ...request.headers },
    })
    return {
      request: (request, options) => http.request(signed(request), options),
      stream: (request, options) => http.stream(signed(request), options),
      socket: (request, options) => http.socket(signed(request), options),
    }
  }

  #for(url: string): Record<string, string> {
    const origin = new URL(url).origin.replace(/^ws/, 'http')
    return Object.fromEntries(
      this.#held
        .filter(({ origins }) => origins.includes(origin))
        .map(({ header, value }) => [header, value]),
    )
  }
}
