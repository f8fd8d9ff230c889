import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { WebSocket } from 'ws'
import { Failure } from '../../../shared/failures.ts'
import type { CallOptions } from '../../ports/browser.ts'
import type { Socket, SocketMessage, SocketRequest } from '../../ports/sockets.ts'

/** Of one message. */
const MAX_BYTES = 16 * 1024 * 1024

/** Opens a WebSocket. A redirect is not followed: it is an answer other than the upgrade. */
export async function openSocket(
  request: SocketRequest,
  lookup: LookupFunction | undefined,
  { signal }: CallOptions,
): Promise<Socket> {
  const { url, headers, protocols } = request
  signal.throwIfAborted()
  const { WebSocket } = await import('ws')
  const ws = new WebSocket(url, [...protocols], { headers, lookup, maxPayload: MAX_BYTES })
  const socket = new Messages(ws, url)
  const onAbort = (): void => ws.terminate()
  signal.addEventListener('abort', onAbort, { once: true })
  ws.once('close', () => signal.removeEventListener('abort', onAbort))
  await new Promise<void>((resolve, reject) => {
    ws.once('open', resolve)
    ws.once('error', error => reject(signal.aborted ? signal.reason : unreachable(url, error)))
    ws.once('unexpected-response', (_, response: IncomingMessage) => {
      ws.terminate()
      reject(new Failure('http_error', { url, status: response.statusCode ?? 0, excerpt: 'no upgrade' }))
    })
  })
  return socket
}

const unreachable = (url: string, error: Error): Failure =>
  Failure.is(error)
    ? error
    : new Failure(
        'network_error',
        { url, reason: 'code' in error ? String(error.code) : error.message },
        { cause: error },
      )

class Messages implements Socket {
  readonly #ws: WebSocket
  readonly #url: string
  readonly #waiting: SocketMessage[] = []
  #fault: Failure | null = null
  #ended = false
  #wake: () => void = () => undefined

  constructor(ws: WebSocket, url: string) {
    this.#ws = ws
    this.#url = url
    ws.on('message', (data: Buffer, isBinary) => {
      this.#waiting.push(isBinary ? new Uint8Array(data) : data.toString('utf8'))
      this.#wake()
    })
    ws.on('error', error => {
      this.#fault = unreachable(this.#url, error)
    })
    ws.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  send(message: SocketMessage): void {
    this.#ws.send(message)
  }

  async next(signal: AbortSignal): Promise<SocketMessage | null> {
    while (this.#waiting.length === 0) {
      if (signal.aborted) throw signal.reason
      if (this.#fault !== null) throw this.#fault
      if (this.#ended) return null
      await this.#change(signal)
    }
    return this.#waiting.shift() ?? null
  }

  close(): void {
    this.#ws.terminate()
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#wake = done
      signal.addEventListener('abort', done, { once: true })
    })
  }
}
