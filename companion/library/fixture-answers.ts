import { Failure } from '../../shared/failures.ts'
import type { HttpPort, HttpRequest, HttpResponse } from '../ports/http.ts'
import { bodyOf, type FixtureAnswer } from './fixtures.ts'

/** A site that answers from a fixture alone; what the fixture has no answer to fails with network_error. */
export class FixtureAnswers implements HttpPort {
  readonly #answers: readonly FixtureAnswer[]
  readonly #asked = new Set<FixtureAnswer>()

  constructor(answers: readonly FixtureAnswer[]) {
    this.#answers = answers
  }

  /** Addresses that nobody asked for. */
  unasked(): string[] {
    return this.#answers.filter(answer => !this.#asked.has(answer)).map(({ url }) => url)
  }

  async request({ method, url }: HttpRequest): Promise<HttpResponse> {
    const fitting = this.#answers.filter(answer => answer.method === method && sameAddress(answer.url, url))
    const answer = fitting.find(each => !this.#asked.has(each)) ?? fitting.at(-1)
    if (answer === undefined)
      throw new Failure('network_error', { url, reason: 'the fixture has no answer to it' })
    this.#asked.add(answer)
    const text = bodyOf(answer)
    return { status: answer.status, url, headers: answer.headers, text, bytes: Buffer.from(text) }
  }

  async stream({ url }: HttpRequest): Promise<never> {
    throw new Failure('network_error', { url, reason: 'a fixture has no streams' })
  }

  async socket({ url }: { url: string }): Promise<never> {
    throw new Failure('network_error', { url, reason: 'a fixture has no sockets' })
  }
}

/** The order of a query's fields says nothing. */
function sameAddress(a: string, b: string): boolean {
  if (a === b) return true
  const [x, y] = [new URL(a), new URL(b)]
  x.searchParams.sort()
  y.searchParams.sort()
  return x.href === y.href
}
