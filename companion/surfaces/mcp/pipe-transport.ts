import type { Readable, Writable } from 'node:stream'
import {
  deserializeMessage,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  ProtocolErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/server'

/** Bytes of one line. */
const MAX_LINE = 16 * 1024 * 1024

/**
 * The stdio form of MCP over any pair of streams. The SDK's own ends with its input and leaves what is asked then
 * unanswered; here a client that has nothing more to say, but still listens (`printf … | unicli mcp serve`), gets
 * its answers first. When it is gone altogether, everything ends at once. Lines that are no message are answered
 * as JSON-RPC says, so that nobody waits in vain.
 */
export class PipeTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: Transport['onmessage']
  /** Resolves when the connection is over and all was written. */
  readonly closed: Promise<void>

  readonly #readable: Readable
  readonly #writable: Writable
  readonly #pending = new Set<string | number>()
  #line: Buffer[] = []
  #length = 0
  #ended = false
  #over = false
  #settled: () => void = () => undefined

  constructor(readable: Readable, writable: Writable) {
    this.#readable = readable
    this.#writable = writable
    this.closed = new Promise(resolve => {
      this.#settled = resolve
    })
  }

  async start(): Promise<void> {
    this.#readable.on('data', this.#onData)
    this.#readable.once('end', this.#onEnd)
    this.#readable.once('close', this.#onInputClosed)
    this.#readable.on('error', this.#onError)
    this.#writable.on('error', this.#onError)
    this.#writable.once('close', this.#onGone)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#write(serializeMessage(message))
    if (!('method' in message)) this.#answered(message.id)
  }

  async close(): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#readable.off('data', this.#onData)
    this.#readable.pause()
    this.#line = []
    this.onclose?.()
    if (this.#writable.destroyed) this.#settled()
    else this.#writable.once('close', this.#settled).end(this.#settled)
  }

  readonly #onData = (chunk: Buffer): void => {
    let from = 0
    for (let at = chunk.indexOf('\n'); at !== -1 && !this.#over; at = chunk.indexOf('\n', from)) {
      this.#line.push(chunk.subarray(from, at))
      const line = Buffer.concat(this.#line).toString().trim()
      this.#line = []
      this.#length = 0
      from = at + 1
      if (line !== '') this.#receive(line)
    }
    if (from === chunk.length) return
    this.#line.push(chunk.subarray(from))
    this.#length += chunk.length - from
    if (this.#length > MAX_LINE) this.#onError(new Error(`a line is longer than ${MAX_LINE} bytes`))
  }

  #receive(line: string): void {
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch (error) {
      this.#refuse(error)
      return
    }
    // A subscription is answered when it ends, which is with the connection.
    if (isJSONRPCRequest(message) && message.method !== 'subscriptions/listen') this.#pending.add(message.id)
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.#answered(message.params?.requestId)
    this.onmessage?.(message)
  }

  #refuse(error: unknown): void {
    const [code, text] =
      error instanceof SyntaxError
        ? [ProtocolErrorCode.ParseError, 'Parse error: a line is not JSON']
        : [ProtocolErrorCode.InvalidRequest, 'Invalid request: a line is not a message of JSON-RPC 2.0']
    const answer = { jsonrpc: '2.0', id: null, error: { code, message: text } }
    this.#write(`${JSON.stringify(answer)}\n`).catch(this.#onError)
  }

  #write(text: string): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#writable.write(text, error => (error ? reject(error) : resolve())),
    )
  }

  #answered(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#pending.delete(id)
    if (this.#ended && this.#pending.size === 0) void this.close()
  }

  readonly #onEnd = (): void => {
    this.#ended = true
    this.#answered(null)
  }

  /** Closed without an end: the other side did not finish, it vanished. */
  readonly #onInputClosed = (): void => {
    if (!this.#ended) this.#onGone()
  }

  readonly #onGone = (): void => void this.close()

  readonly #onError = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }
}
