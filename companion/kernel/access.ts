import { Failure } from '../../shared/failures.ts'
import { WIRE } from '../../shared/wire.ts'
import type { Access } from '../ports/access.ts'
import type { BrowserSession } from '../ports/browser.ts'
import type { FilesPort, PartFile } from '../ports/files.ts'
import type { HttpAnswer, HttpPort, HttpRequest, OriginCheck } from '../ports/http.ts'
import type { McpPort } from '../ports/mcp.ts'
import type { ProcessPort } from '../ports/process.ts'
import type { SocketMessage } from '../ports/sockets.ts'
import { noted } from './request-log.ts'
import type { Run } from './run-state.ts'
import { seeAnswer } from './seen-answers.ts'

/** For browser operations: there the caller names addresses itself. */
export const anyOrigin: OriginCheck = () => undefined

/** The one judge of which addresses an adapter may reach. */
export const onlyOrigins =
  (origins: ReadonlySet<string>): OriginCheck =>
  url => {
    const origin = originOf(url)
    if (!origins.has(origin)) throw new Failure('origin_not_allowed', { origin, allowed: [...origins] })
  }

/** A socket begins as a request to the same place. */
const originOf = (url: string): string => new URL(url).origin.replace(/^ws/, 'http')

/** A client that reaches allowed origins only and notes when something that may change the site leaves. */
export const guardedHttp = (http: HttpPort, run: Run, checkOrigin: OriginCheck): HttpPort => {
  const guarded = async <A extends HttpAnswer>(request: HttpRequest, ask: () => Promise<A>): Promise<A> => {
    checkOrigin(request.url)
    const answer = await noted(run, request, () => (request.read ? ask() : asWrite(run, ask, neverLeft)))
    checkOrigin(answer.url)
    return answer
  }
  return {
    async request(request, options) {
      const response = await guarded(request, () => http.request(request, options))
      seeAnswer(run.answers, response)
      if (!request.read && REFUSING.has(response.status)) run.writesRefused++
      return response
    },
    stream: (request, options) => guarded(request, () => http.stream(request, options)),
    async socket(request, options) {
      checkOrigin(request.url)
      const socket = await http.socket(request, options)
      if (request.read) return socket
      // Opening it has changed nothing yet.
      const send = (message: SocketMessage): void => {
        run.writesSent++
        socket.send(message)
      }
      return { send, next: signal => socket.next(signal), close: () => socket.close() }
    },
  }
}

/** By these a site says that it has not even begun: no login, no right to, too many of them. */
const REFUSING = new Set([401, 403, 429])

/**
 * Notes that something which may change something leaves. By network_error a write says that it never did, by a no of
 * the policy or a name that is taken that it did not begin.
 */
async function asWrite<A>(
  run: Run,
  ask: () => Promise<A>,
  isUnbegun: (failure: Failure) => boolean,
): Promise<A> {
  run.writesSent++
  try {
    return await ask()
  } catch (error) {
    if (Failure.is(error) && isUnbegun(error)) run.writesSent--
    throw error
  }
}

const neverLeft = ({ code }: Failure): boolean => code === 'network_error'

/** On this computer the policy is asked before anything begins; over the network also at every hop after it. */
const notBegun = ({ code, spec }: Failure): boolean => spec.class === 'policy' || code === 'already_exists'

/** The same for a session. Which of its calls change a site, the wire table says. */
export const guardedSession = (
  session: BrowserSession,
  run: Run,
  checkOrigin: OriginCheck,
): BrowserSession => ({
  profile: session.profile,
  session: session.session,
  async call(method, params, options) {
    if ('url' in params && typeof params.url === 'string') {
      checkOrigin(params.url)
      // Of an address that is asked in the browser, the session below has it judged as a site of the person's.
      const isSite = WIRE[method].touches === 'address' || WIRE[method].touches === 'both'
      const access = accessTo(params.url, 'method' in params ? String(params.method) : 'GET')
      if (access !== null && !(isSite && access.kind === 'network')) await run.access(access)
    }
    if (WIRE[method].acts) run.writesSent++
    return session.call(method, params, options)
  },
  onCapture: listener => session.onCapture(listener),
})

/** What an address touches; null for what is none, such as a part of one that is waited for. */
function accessTo(url: string, method: string): Access | null {
  if (!URL.canParse(url)) return null
  const { protocol, pathname, hostname } = new URL(url)
  if (protocol === 'file:') return { kind: 'read_file', path: decodeURIComponent(pathname) }
  return hostname === '' ? null : { kind: 'network', url, method }
}

/** Notes the writes of a run to files outside of its temp folder. */
export const guardedFiles = (files: FilesPort, run: Run): FilesPort => ({
  find: path => files.find(path),
  folder: path => files.folder(path),
  read: (path, limit) => files.read(path, limit),
  pieces: (path, bytes) => files.pieces(path, bytes),
  sha256: path => files.sha256(path),
  temp: (name, content) => files.temp(name, content),
  write: (path, content, mode) => asWrite(run, () => files.write(path, content, mode), notBegun),
  adopt: (from, to, mode) => asWrite(run, () => files.adopt(from, to, mode), notBegun),
  place: (from, to, mode) => asWrite(run, () => files.place(from, to, mode), notBegun),
  async part(folder, key) {
    const part = await files.part(folder, key)
    // What lies hidden until it is whole has changed nothing yet.
    const finish: PartFile['finish'] = (to, mode) => asWrite(run, () => part.finish(to, mode), notBegun)
    return {
      get bytes() {
        return part.bytes
      },
      finish,
      note: () => part.note(),
      begin: note => part.begin(note),
      append: chunk => part.append(chunk),
      sha256: () => part.sha256(),
      drop: () => part.drop(),
      close: () => part.close(),
    }
  },
})

/** Notes the programs that a run starts, but those that change nothing. */
export const guardedProcess = (process: ProcessPort, run: Run): ProcessPort => ({
  run: (line, options) =>
    line.read ? process.run(line, options) : asWrite(run, () => process.run(line, options), notBegun),
})

/** Starts declared programs only, and notes the tool calls of a run that may change something. */
export const guardedMcp = (mcp: McpPort, run: Run, executables: readonly string[]): McpPort => ({
  async call(call, options) {
    const { server, read } = call
    if (server.kind === 'stdio' && !executables.includes(server.command))
      throw new Failure('executable_not_declared', {
        executable: server.command,
        declared: [...executables],
      })
    return read ? mcp.call(call, options) : asWrite(run, () => mcp.call(call, options), neverLeft)
  },
})
