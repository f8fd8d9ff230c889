import type { Credential, CredentialPort } from '../ports/credentials.ts'
import type { HttpPort } from '../ports/http.ts'

/** What a run has been given to send along. A header that a step names itself wins. */
export class Credentials implements CredentialPort {
  readonly #held: Credential[] = []

  use(credential: Credential): void {
    this.#held.push(credential)
  }

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
