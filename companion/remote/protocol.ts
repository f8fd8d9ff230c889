import WebSocket from 'ws'
import { Failure } from '../../shared/failures.ts'
import { isRecord } from '../../shared/json.ts'

export interface ProtocolEvent {
  method: string
  params: Record<string, unknown>
  /** Of the target that it is about; null for the browser itself. */
  sessionId: string | null
}

interface Pending {
  resolve(result: Record<string, unknown>): void
  reject(error: Error): void
}

const CONNECT_WITHIN_MS = 10_000

/** A browser's DevTools socket, with sessions of its targets over one connection. */
export class Protocol {
  readonly #socket: WebSocket
  readonly #pending = new Map<number, Pending>()
  readonly #listeners = new Set<(event: ProtocolEvent) => void>()
  #next = 0
  /** Resolves when the connection is over. */
  readonly closed: Promise<void>

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', data => this.#hear(String(data)))
    // What is wrong with a socket is followed by its close.
    socket.on('error', () => undefined)
    this.closed = new Promise(resolve => {
      socket.on('close', () => {
        for (const { reject } of this.#pending.values()) reject(new Error('the browser is gone'))
        this.#pending.clear()
        resolve()
      })
    })
  }

  /** Rejects with the protocol's own text. */
  send<R extends object>(method: string, params: object = {}, sessionId?: string): Promise<R> {
    const id = ++this.#next
    return new Promise<R>((resolve, reject) => {
      // The protocol's answers are objects of the method's own shape; callers name what they read.
      this.#pending.set(id, { resolve: result => resolve(result as R), reject })
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }), error => {
        if (error != null) reject(error)
      })
    })
  }

  onEvent(listener: (event: ProtocolEvent) => void): void {
    this.#listeners.add(listener)
  }

  close(): void {
    this.#socket.close()
  }

  #hear(text: string): void {
    const message: unknown = JSON.parse(text)
    if (!isRecord(message)) return
    if (typeof message.id === 'number') {
      const pending = this.#pending.get(message.id)
      this.#pending.delete(message.id)
      if (isRecord(message.error)) pending?.reject(new Error(String(message.error.message)))
      else pending?.resolve(isRecord(message.result) ? message.result : {})
      return
    }
    const event: ProtocolEvent = {
      method: String(message.method),
      params: isRecord(message.params) ? message.params : {},
      sessionId: typeof message.sessionId === 'string' ? message.sessionId : null,
    }
    for (const listener of this.#listeners) listener(event)
  }
}

/**
 * @param endpoint `http://host:port`, or the WebSocket address of the whole browser
 * Fails with browser_unreachable.
 */
export async function connectProtocol(endpoint: string): Promise<Protocol> {
  try {
    const url = await socketAddress(endpoint)
    const socket = new WebSocket(url, { handshakeTimeout: CONNECT_WITHIN_MS, maxPayload: 0 })
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    return new Protocol(socket)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('browser_unreachable', { endpoint, reason }, { cause })
  }
}

/** A browser tells its socket by the name that it has for itself; whoever asked knows it by another. */
async function socketAddress(endpoint: string): Promise<string> {
  const given = new URL(endpoint)
  if (given.protocol === 'ws:' || given.protocol === 'wss:') return endpoint
  const answer = await fetch(new URL('/json/version', given), {
    signal: AbortSignal.timeout(CONNECT_WITHIN_MS),
  })
  const told: unknown = await answer.json()
  if (!isRecord(told) || typeof told.webSocketDebuggerUrl !== 'string')
    throw new Error('it answers, but not as a browser does')
  const socket = new URL(told.webSocketDebuggerUrl)
  socket.host = given.host
  socket.protocol = given.protocol === 'https:' ? 'wss:' : 'ws:'
  return socket.href
}
