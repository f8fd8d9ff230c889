import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../shared/failures.ts'
import type { Frame } from '../../shared/frame.ts'
import type { Attached } from '../daemon/client.ts'
import { FrameConnection } from '../daemon/connection.ts'
import { LineSplitter } from './lines.ts'
import { McpExchange, refusals } from './mcp-exchange.ts'

export interface McpBridgeSettings {
  input: Readable
  /** Carries the protocol and nothing else. */
  output: Writable
  /** Reaches the companion; starts it when `wanted`, else leaves a stopped one alone. Fails when there is none. */
  attach: (wanted: boolean) => Promise<Attached>
}

/** Events on the socket: lines of the protocol, their ends included; null when the client has no more to say. */
const EVENT = { in: 'in', out: 'out' } as const
/** How long answers are waited for when the client has closed its side. */
const LAST_ANSWERS_MS = 10_000

/**
 * Carries an MCP client's lines to the companion and back until the client closes its side. When the companion
 * goes away, what waited for it is answered with an error, and the next one is put into the same session.
 */
export const serveMcp = (settings: McpBridgeSettings): Promise<void> => new McpBridge(settings).run()

class McpBridge {
  readonly #settings: McpBridgeSettings
  readonly #exchange = new McpExchange()
  readonly #fromClient = new LineSplitter()
  readonly #fromCompanion = new LineSplitter()
  #queue: string[] = []
  #connection: FrameConnection | null = null
  #isAttaching = false
  #isEnded = false
  #onIdle: () => void = () => undefined

  constructor(settings: McpBridgeSettings) {
    this.#settings = settings
  }

  async run(): Promise<void> {
    const { input } = this.#settings
    input.setEncoding('utf8')
    input.on('data', piece => {
      this.#queue.push(...this.#fromClient.push(String(piece)))
      this.#pump()
    })
    await new Promise<void>(resolve => input.once('end', resolve).once('error', () => resolve()))
    this.#isEnded = true
    this.#connection?.send({ k: 'event', name: EVENT.in, data: null })
    await this.#lastAnswers()
    this.#connection?.close()
  }

  #pump(): void {
    const connection = this.#connection
    if (connection === null) {
      if (this.#queue.length > 0) void this.#attach(true)
      return
    }
    if (this.#exchange.isReplaying) return
    for (const line of this.#queue.splice(0)) this.#send(connection, line)
  }

  #send(connection: FrameConnection, line: string): void {
    try {
      const isFree = connection.send({ k: 'event', name: EVENT.in, data: `${line}\n` })
      this.#exchange.sent(line)
      if (!isFree) this.#settings.input.pause()
    } catch (error) {
      for (const answer of refusals(line, Failure.from(error))) this.#answer(answer)
    }
  }

  async #attach(wanted: boolean): Promise<void> {
    if (this.#isAttaching) return
    this.#isAttaching = true
    try {
      this.#begin(await this.#settings.attach(wanted))
    } catch (error) {
      // Without a companion requests are refused one by one; the next one tries again.
      const failure = Failure.from(error)
      if (wanted)
        for (const line of this.#queue.splice(0))
          for (const answer of refusals(line, failure)) this.#answer(answer)
    } finally {
      this.#isAttaching = false
    }
    this.#pump()
    this.#onIdle()
  }

  #begin({ stream }: Attached): void {
    const connection = new FrameConnection(stream, {
      parse: value => value as Frame,
      onFrame: frame => this.#receive(connection, frame),
    })
    this.#connection = connection
    connection.onDrain(() => this.#settings.input.resume())
    connection.onClose(() => this.#lose())
    const replay = this.#exchange.replay()
    if (replay === null) return
    connection.send({ k: 'event', name: EVENT.in, data: `${replay.initialize}\n` })
    // Before anything that waits: the session is not open before it.
    if (replay.initialized !== null) this.#queue.unshift(replay.initialized)
  }

  #receive(connection: FrameConnection, frame: Frame): void {
    if (frame.k !== 'event' || frame.name !== EVENT.out || connection !== this.#connection) return
    for (const line of this.#fromCompanion.push(String(frame.data))) {
      if (this.#exchange.received(line)) this.#answer(line)
      else this.#pump()
    }
    if (this.#exchange.pending === 0) this.#onIdle()
  }

  #lose(): void {
    this.#connection = null
    this.#fromCompanion.clear()
    this.#settings.input.resume()
    const { answers, again } = this.#exchange.lost()
    for (const answer of answers) this.#answer(answer)
    this.#queue = [...again, ...this.#queue]
    this.#onIdle()
    if (!this.#isEnded) void this.#attach(this.#queue.length > 0)
  }

  #answer(line: string): void {
    this.#settings.output.write(`${line}\n`)
  }

  async #lastAnswers(): Promise<void> {
    const isIdle = () => this.#exchange.pending === 0 && this.#queue.length === 0
    if (isIdle()) return
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, LAST_ANSWERS_MS)
      this.#onIdle = () => {
        if (!isIdle()) return
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
