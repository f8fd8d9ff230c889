import type { Socket } from 'node:net'
import { ChunkJoiner, chunked } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'
import { Frame, type FrameOf, PROTOCOL } from '../../shared/frame.ts'
import type { PersonMethod, PersonParams, PersonResult } from '../../shared/person-wire.ts'
import type { WireEvent, WireEventData, WireMethod, WireParams, WireResult } from '../../shared/wire.ts'

type Answer = FrameOf<'done'> | FrameOf<'fail'>

const DEADLINE_MS = 20_000

/** One native port of the extension, seen from the companion's end. */
export class StandInLink {
  /** Of the native host, to be killed or suspended. */
  pid = 0
  /** What the browser passed to the native host. */
  argv: string[] = []
  /** Settles when the host's end of the link is gone. */
  readonly ended: Promise<void>
  /** Every frame that the extension sent, as it came. */
  readonly frames: Frame[] = []
  readonly #socket: Socket
  readonly #joiner = new ChunkJoiner()
  readonly #answers = new Map<string, (answer: Answer) => void>()
  readonly #listeners = new Set<(frame: Frame) => void>()
  #hello: FrameOf<'hello'> | null = null
  #rest: Buffer = Buffer.alloc(0)
  #calls = 0

  constructor(socket: Socket, onHello: (link: StandInLink) => void) {
    this.#socket = socket
    this.ended = new Promise(resolve => socket.once('close', () => resolve()))
    socket.on('error', error => console.debug('the stand-in lost its host', error.message))
    socket.on('data', data => this.#read(data, onHello))
  }

  get hello(): FrameOf<'hello'> {
    if (this.#hello === null) throw new Error('This link has not said hello.')
    return this.#hello
  }

  welcome(refused: FrameOf<'welcome'>['refused'] = null): void {
    this.send({ k: 'welcome', protocol: PROTOCOL, version: '9.9.9', refused })
  }

  /** Resolves with the call's result. @throws its Failure */
  async call<M extends WireMethod>(
    method: M,
    params: WireParams<M>,
    options: { deadline?: number; id?: string } = {},
  ): Promise<WireResult<M>> {
    const answer = await this.ask(method, params, options)
    if (answer.k === 'fail') throw Failure.fromJSON(answer.failure)
    // The extension's own types; a test says what it expects of the value.
    return answer.result as WireResult<M>
  }

  /**
   * Any method with any params: what the extension answers. The stand-in's person grants every site, when it is asked
   * for; with `granted` they grant these origins alone.
   */
  async ask(
    method: string,
    params: unknown,
    options: { deadline?: number; id?: string; granted?: string[] } = {},
  ): Promise<Answer> {
    const granted = options.granted ?? []
    const id = options.id ?? `c${++this.#calls}`
    const deadline = options.deadline ?? Date.now() + DEADLINE_MS
    const answer = await new Promise<Answer>(resolve => {
      this.#answers.set(id, resolve)
      this.send({ k: 'call', id, method, params, deadline, granted })
    })
    const origin = options.granted === undefined ? notGranted(answer) : null
    return origin === null ? answer : this.#askGranted(method, params, { id, deadline, origins: [origin] })
  }

  async #askGranted(
    method: string,
    params: unknown,
    { id, deadline, origins }: { id: string; deadline: number; origins: string[] },
  ): Promise<Answer> {
    const answer = await this.ask(method, params, { id, deadline, granted: origins })
    const origin = notGranted(answer)
    if (origin === null || origins.includes(origin)) return answer
    return this.#askGranted(method, params, { id, deadline, origins: [...origins, origin] })
  }

  send(frame: Frame): void {
    for (const piece of chunked(frame, () => `s${++this.#calls}`)) this.sendRaw(JSON.stringify(piece))
  }

  sendRaw(text: string): void {
    const body = Buffer.from(text)
    const head = Buffer.alloc(4)
    head.writeUInt32LE(body.length)
    this.#socket.write(Buffer.concat([head, body]))
  }

  /** Calls the listener for each event of this name from now on; returns what ends it. */
  onEvent<E extends WireEvent>(name: E, listener: (data: WireEventData<E>) => void): () => void {
    return this.onFrame(frame => {
      if (frame.k === 'event' && frame.name === name) listener(frame.data as WireEventData<E>)
    })
  }

  /** Answers the person's calls of this method from now on. */
  onCall<M extends PersonMethod>(
    method: M,
    answer: (params: PersonParams<M>) => PersonResult<M> | Failure,
  ): void {
    this.onFrame(frame => {
      if (frame.k !== 'call' || frame.method !== method) return
      const result = answer(frame.params as PersonParams<M>)
      if (Failure.is(result)) this.send({ k: 'fail', id: frame.id, failure: result.toJSON() })
      else this.send({ k: 'done', id: frame.id, result })
    })
  }

  /** The next event of this name that fits. */
  nextEvent<E extends WireEvent>(
    name: E,
    fits: (data: WireEventData<E>) => boolean = () => true,
  ): Promise<WireEventData<E>> {
    return new Promise(resolve => {
      const off = this.onEvent(name, data => {
        if (!fits(data)) return
        off()
        resolve(data)
      })
    })
  }

  /** The next frame that fits. */
  nextFrame(fits: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise(resolve => {
      const off = this.onFrame(frame => {
        if (!fits(frame)) return
        off()
        resolve(frame)
      })
    })
  }

  onFrame(listener: (frame: Frame) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #read(data: Buffer, onHello: (link: StandInLink) => void): void {
    this.#rest = Buffer.concat([this.#rest, data])
    while (this.#rest.length >= 4 && this.#rest.length >= 4 + this.#rest.readUInt32LE(0)) {
      const end = 4 + this.#rest.readUInt32LE(0)
      const message: unknown = JSON.parse(this.#rest.subarray(4, end).toString())
      this.#rest = this.#rest.subarray(end)
      this.#receive(message, onHello)
    }
  }

  #receive(message: unknown, onHello: (link: StandInLink) => void): void {
    if (isAbout(message)) {
      this.pid = message.pid
      this.argv = message.argv
      return
    }
    const frame = Frame.parse(message)
    if (frame.k === 'chunk') {
      const whole = this.#joiner.push(frame)
      if (whole !== null) this.#receive(JSON.parse(whole), onHello)
      return
    }
    this.frames.push(frame)
    for (const listener of this.#listeners) listener(frame)
    if (frame.k === 'hello') {
      this.#hello = frame
      onHello(this)
    }
    if (frame.k === 'ping' && frame.to === 'host') this.send({ k: 'pong', id: frame.id })
    if (frame.k === 'done' || frame.k === 'fail') {
      this.#answers.get(frame.id)?.(frame)
      this.#answers.delete(frame.id)
    }
  }
}

const notGranted = (answer: Answer): string | null =>
  answer.k === 'fail' && answer.failure.code === 'site_not_granted'
    ? String(answer.failure.params.origin)
    : null

const isAbout = (message: unknown): message is { pid: number; argv: string[] } =>
  typeof message === 'object' && message !== null && 'k' in message && message.k === 'stand-in'
