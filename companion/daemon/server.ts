import { chmodSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { Failure } from '../../shared/failures.ts'
import type { Frame, FrameOf } from '../../shared/frame.ts'
import type { Paths } from '../state/paths.ts'
import { removeFile } from './atomic-file.ts'
import { FrameConnection } from './connection.ts'
import { parseFrame } from './frame-check.ts'
import { isOwnOrigin } from './origin.ts'
import { PayloadStream } from './payload-stream.ts'
import { CLIENT_METHOD, welcome } from './protocol.ts'
import { isSameToken } from './token.ts'

/** Somebody whose attach was accepted. */
export interface Peer {
  readonly attach: FrameOf<'attach'>
  /** Bytes that came, and bytes that the system has taken, so far. */
  readonly received: number
  readonly sent: number
  /** As FrameConnection: false asks for a pause until `onDrain`, `flushed` comes when the system has all of it. */
  send(frame: Frame, flushed?: () => void): boolean
  onDrain(listener: () => void): void
  /** Replaces the one listener. */
  onFrame(listener: (frame: Frame) => void): void
  /** Once; `fault` is what the other side did wrong, null when it just went. */
  onClose(listener: (fault: Failure | null) => void): void
  /** Ends it after what was sent; `refused` tells the other side why. */
  close(refused?: Failure): void
}

export interface ServerSettings {
  paths: Paths
  token: string
  version: string
  /** A native host: one for each browser profile. */
  onHost: (peer: Peer) => void
  /** A CLI or MCP client. Calls of `methods` and `daemon.stop` do not come here. */
  onClient: (peer: Peer) => void
  /** What else every client may call, by name. `signal` aborts when the client goes away. */
  methods?: Readonly<Record<string, ClientMethod>>
  /** A client asked the companion to stop, and has been answered. */
  onStop: (reason: string) => void
  /** A connection that was refused or cut off, for the log. */
  onRefusal: (failure: Failure) => void
}

export type ClientMethod = (call: { signal: AbortSignal; deadline: number }) => Promise<unknown>

export interface CompanionServer {
  /** Takes no more connections, tells all others why they end, and waits until they are closed. */
  close(failure: Failure): Promise<void>
}

const ATTACH_WITHIN_MS = 2000
/** So much before the caller's deadline a method has to answer, or the answer comes too late. */
const ANSWER_MARGIN_MS = 500

/** Listens on the user's own socket. The caller holds the lock, so a socket that is there already is dead. */
export async function startServer(settings: ServerSettings): Promise<CompanionServer> {
  const { paths } = settings
  const connections = new Set<FrameConnection>()
  const server = createServer(socket => {
    const connection = admit(socket, settings)
    connections.add(connection)
    connection.onClose(() => connections.delete(connection))
  })
  if (process.platform !== 'win32') removeFile(paths.socket)
  await listen(server, paths.socket)
  if (process.platform !== 'win32') chmodSync(paths.socket, 0o600)
  return {
    close: async failure => {
      const closed = new Promise(resolve => server.close(resolve))
      for (const connection of connections) connection.close(welcome(settings.version, failure))
      await closed
    },
  }
}

/** Nothing is heard from a connection before it has shown the token. */
function admit(socket: Socket, settings: ServerSettings): FrameConnection {
  let isAttached = false
  const connection = new FrameConnection(new PayloadStream(socket, socket), {
    parse: value => {
      const frame = parseFrame(value)
      if (isAttached || frame.k === 'attach') return frame
      throw new Failure('frame_invalid', { reason: `${frame.k} came before attach` })
    },
    farewell: fault => welcome(settings.version, fault),
    onFrame: frame => {
      clearTimeout(patience)
      if (frame.k !== 'attach') return
      const refused = refusalOf(frame, settings)
      if (refused !== null) return refuse(refused)
      isAttached = true
      connection.send(welcome(settings.version, null))
      const peer = peerOf(frame, connection, settings)
      if (frame.role === 'host') settings.onHost(peer)
      else settings.onClient(peer)
    },
  })
  const refuse = (failure: Failure) => connection.close(welcome(settings.version, failure), failure)
  const patience = setTimeout(
    () => refuse(new Failure('unauthorized', { what: `An attach within ${ATTACH_WITHIN_MS} ms` })),
    ATTACH_WITHIN_MS,
  )
  connection.onClose(fault => {
    clearTimeout(patience)
    if (fault !== null) settings.onRefusal(fault)
  })
  return connection
}

function refusalOf(attach: FrameOf<'attach'>, settings: ServerSettings): Failure | null {
  if (!isSameToken(attach.token, settings.token)) return new Failure('unauthorized', { what: 'The token' })
  if (attach.role === 'host' && !isOwnOrigin(attach.origin))
    return new Failure('forbidden_caller', { what: attach.origin ?? 'A native host without an origin' })
  return null
}

function peerOf(attach: FrameOf<'attach'>, connection: FrameConnection, settings: ServerSettings): Peer {
  const answered = attach.role === 'host' ? () => false : answering(attach, connection, settings)
  return {
    attach,
    get received() {
      return connection.received
    },
    get sent() {
      return connection.sent
    },
    send: (frame, flushed) => connection.send(frame, flushed),
    onDrain: listener => connection.onDrain(listener),
    onFrame: listener => connection.onFrame(frame => answered(frame) || listener(frame)),
    onClose: listener => connection.onClose(listener),
    close: refused => connection.close(refused && welcome(settings.version, refused)),
  }
}

/** Gives what answers the calls that are the server's own, and says of each frame whether it was one. */
function answering(
  attach: FrameOf<'attach'>,
  connection: FrameConnection,
  { methods = {}, onStop }: ServerSettings,
): (frame: Frame) => boolean {
  const gone = new AbortController()
  connection.onClose(() => gone.abort())
  const answer = async ({ id, deadline }: FrameOf<'call'>, method: ClientMethod): Promise<void> => {
    try {
      const result = await method({ signal: gone.signal, deadline: deadline - ANSWER_MARGIN_MS })
      connection.send({ k: 'done', id, result })
    } catch (error) {
      connection.send({ k: 'fail', id, failure: Failure.from(error).toJSON() })
    }
  }
  return frame => {
    if (frame.k !== 'call') return false
    if (frame.method === CLIENT_METHOD.stop) {
      connection.send({ k: 'done', id: frame.id, result: { stopping: true } })
      onStop(`asked by process ${attach.pid}`)
      return true
    }
    const method = Object.hasOwn(methods, frame.method) ? methods[frame.method] : undefined
    if (method !== undefined) void answer(frame, method)
    return method !== undefined
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
