import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import type { Frame, FrameOf } from '../../shared/frame.ts'
import { versionSkew } from '../../shared/skew.ts'
import type { Paths } from '../state/paths.ts'
import { hasErrno } from './atomic-file.ts'
import { FrameConnection } from './connection.ts'
import { readDiscovery, readToken } from './discovery.ts'
import { assertPrivate } from './folder.ts'
import { encodePayload } from './payload.ts'
import { PayloadStream } from './payload-stream.ts'

export interface AttachSettings {
  paths: Paths
  role: FrameOf<'attach'>['role']
  version: string
  /** Of a host: who the browser says has called it. */
  origin?: string
  /** Of a host: the name of the managed browser that started it. */
  managed?: string | undefined
}

/** A stream on which the companion has said welcome. */
export interface Attached {
  stream: PayloadStream
  welcome: FrameOf<'welcome'>
}

const WELCOME_WITHIN_MS = 5000
const SILENT = `it did not answer within ${WELCOME_WITHIN_MS} ms`

/**
 * Connects to the companion that runs. Null when none does. Fails with companion_unavailable when it does not
 * answer, with version_skew, and with what it refuses the attach for.
 */
export async function tryAttach(settings: AttachSettings): Promise<Attached | null> {
  const discovery = readDiscovery(settings.paths)
  const token = readToken(settings.paths)
  if (discovery === null || token === null) return null
  const socket = await open(discovery.socket)
  if (socket === null) return null
  const stream = new PayloadStream(socket, socket)
  const { role, version, origin, managed } = settings
  const attach: Frame = {
    ...{ k: 'attach', role, token, pid: process.pid, version },
    ...(origin ? { origin } : {}),
    ...(managed ? { managed } : {}),
  }
  stream.send(encodePayload(JSON.stringify(attach)))
  const welcome = await firstFrame(stream)
  if (welcome === null) return null
  const refused = welcome.refused === null ? skewOf(welcome) : Failure.fromJSON(welcome.refused)
  if (refused === null) return { stream, welcome }
  stream.destroy()
  throw refused
}

/** Null when nobody listens there. */
async function open(path: string): Promise<Socket | null> {
  try {
    if (process.platform !== 'win32') assertPrivate(dirname(path))
    return await new Promise((resolve, reject) => {
      const socket = connect(path, () => {
        socket.off('error', reject)
        resolve(socket)
      })
      socket.once('error', reject)
    })
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ECONNREFUSED')) return null
    if (Failure.is(error)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('companion_unavailable', { reason }, { cause: error })
  }
}

/** Null when the companion ends the connection first, as it does while it stops. */
async function firstFrame(stream: PayloadStream): Promise<FrameOf<'welcome'> | null> {
  let timer: NodeJS.Timeout | undefined
  try {
    const payload = await new Promise<Buffer | null>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Failure('companion_unavailable', { reason: SILENT })),
        WELCOME_WITHIN_MS,
      )
      const first = (bytes: Buffer | null) => {
        // At once: what follows in the same read is for the next listener.
        stream.unlisten()
        resolve(bytes)
      }
      stream.listen({ payload: first, end: () => first(null) })
    })
    if (payload === null) return null
    const frame: Frame = JSON.parse(payload.toString())
    if (frame.k === 'welcome') return frame
    throw new Failure('frame_invalid', { reason: `${frame.k} came in place of welcome` })
  } catch (error) {
    stream.destroy()
    throw Failure.from(error)
  } finally {
    clearTimeout(timer)
  }
}

const skewOf = (welcome: FrameOf<'welcome'>): Failure | null =>
  versionSkew(
    { name: 'companion', mend: 'unicli daemon stop', protocol: welcome.protocol },
    { name: 'unicli command', mend: 'npm install -g unicli-bridge' },
  )

export interface ClientCall {
  /** Absolute, epoch ms. */
  deadline: number
  signal?: AbortSignal
  /** What a lost answer means: a write may have happened. */
  effect: 'read' | 'write'
}

/** The companion, as those who connect to its socket use it. It is ours, so its frames are not checked again. */
export class CompanionClient {
  readonly version: string
  readonly protocol: number
  readonly #connection: FrameConnection
  readonly #waiting = new Map<
    string,
    { settle: (frame: FrameOf<'done' | 'fail'>) => void; lost: () => void }
  >()
  readonly #listeners = new Set<(name: string, data: unknown) => void>()
  #calls = 0
  #isLost = false

  constructor({ stream, welcome }: Attached) {
    this.version = welcome.version
    this.protocol = welcome.protocol
    this.#connection = new FrameConnection(stream, {
      parse: value => value as Frame,
      onFrame: frame => this.#receive(frame),
    })
    this.#connection.onClose(() => {
      this.#isLost = true
      for (const call of this.#waiting.values()) call.lost()
    })
  }

  /**
   * Fails as the companion says, or with deadline_exceeded, cancelled, and when the connection is lost with
   * link_lost (reads) or outcome_unknown (writes).
   */
  call(method: string, params: unknown, { deadline, signal, effect }: ClientCall): Promise<unknown> {
    const id = `c${++this.#calls}`
    const started = Date.now()
    return new Promise((resolve, reject) => {
      const end = (failure: Failure | null) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', cancel)
        this.#waiting.delete(id)
        if (failure !== null) reject(failure)
      }
      const giveUp = (failure: Failure) => {
        this.#connection.send({ k: 'stop', id })
        end(failure)
      }
      const cancel = () => giveUp(new Failure('cancelled', { by: 'caller' }))
      const timer = setTimeout(
        () => giveUp(new Failure('deadline_exceeded', { action: method, ms: Date.now() - started })),
        deadline - started,
      )
      this.#waiting.set(id, {
        settle: frame => {
          end(frame.k === 'fail' ? Failure.fromJSON(frame.failure) : null)
          if (frame.k === 'done') resolve(frame.result)
        },
        lost: () => end(lostAnswer(method, effect)),
      })
      signal?.addEventListener('abort', cancel)
      if (signal?.aborted) cancel()
      else if (this.#isLost) end(new Failure('link_lost', { hop: 'companion' }))
      else this.#connection.send({ k: 'call', id, method, params, deadline })
    })
  }

  /** Events of the companion, by name; returns what ends it. */
  onEvent(listener: (name: string, data: unknown) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Called once, at once when it is closed already. */
  onClose(listener: () => void): void {
    this.#connection.onClose(listener)
  }

  close(): void {
    this.#connection.close()
  }

  #receive(frame: Frame): void {
    if (frame.k === 'done' || frame.k === 'fail') this.#waiting.get(frame.id)?.settle(frame)
    else if (frame.k === 'event') for (const listener of this.#listeners) listener(frame.name, frame.data)
  }
}

const lostAnswer = (method: string, effect: 'read' | 'write'): Failure =>
  effect === 'read'
    ? new Failure('link_lost', { hop: 'companion' })
    : new Failure('outcome_unknown', { action: method })

/** The role that only talks and listens needs no more than this. Fails as `tryAttach`. */
export async function tryConnect(settings: AttachSettings): Promise<CompanionClient | null> {
  const attached = await tryAttach(settings)
  return attached === null ? null : new CompanionClient(attached)
}
