import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf, type FixtureAnswer } from '../../companion/library/fixtures.ts'
import type { HttpFactory, HttpPort, HttpResponse } from '../../companion/ports/http.ts'

/** A site on loopback that answers as it was told to, under the addresses of the real one. */
export interface DriftSite {
  /** Clients that ask it, whatever host they were told. */
  http: HttpFactory
  serve(answers: readonly FixtureAnswer[]): void
  close(): Promise<void>
}

export async function startDriftSite(): Promise<DriftSite> {
  let answers = new Map<string, FixtureAnswer>()
  const server = createServer((request, response) => {
    const answer = answers.get(decodeURIComponent((request.url ?? '/').slice(1)))
    if (answer === undefined) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    response.writeHead(answer.status, answer.headers).end(bodyOf(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client: Pick<HttpPort, 'request'> = { request: ({ url }, { signal }) => ask(port, url, signal) }
  return {
    http: { open: () => client as HttpPort },
    serve: told => {
      answers = new Map(told.map(answer => [keyOf(answer.url), answer]))
    },
    close: () => stop(server),
  }
}

async function ask(port: number, url: string, signal: AbortSignal): Promise<HttpResponse> {
  const key = encodeURIComponent(keyOf(url))
  const response = await fetch(`http://127.0.0.1:${port}/${key}`, { signal, redirect: 'manual' })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  return { status: response.status, url, headers: Object.fromEntries(response.headers), text, bytes }
}

function keyOf(url: string): string {
  const parsed = new URL(url)
  parsed.searchParams.sort()
  return parsed.href
}

const stop = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.closeAllConnections()
    server.close(() => resolve())
  })
