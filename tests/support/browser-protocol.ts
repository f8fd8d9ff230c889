import { WebSocket } from 'ws'

type Params = Record<string, unknown>

/**
 * A connection that speaks the framing common to the Chrome DevTools Protocol and WebDriver BiDi: numbered
 * commands, their answers, and events.
 */
export interface ProtocolClient {
  /**
   * Sends a command and resolves with its result. The caller names the result's type; it is not checked.
   *
   * @param sessionId the attached target that the command is for (CDP, flattened sessions)
   * @throws with the browser's own message when it refuses, or when the connection ends before the answer
   */
  send<Result = Params>(method: string, params?: Params, sessionId?: string): Promise<Result>
  /** Calls the listener for every event of this name; returns what removes it. */
  on(event: string, listener: Listener): () => void
  /** Resolves with the next event of this name that fits. Begin to wait before causing it. */
  waitForEvent(event: string, fits?: Fits, timeoutMs?: number): Promise<Params>
  /** Settles when the connection has ended, whoever ended it. */
  closed: Promise<void>
  close(): Promise<void>
}

interface Incoming {
  id?: number
  method?: string
  params?: Params
  result?: unknown
  sessionId?: string
  /** An object in CDP; in BiDi a code, beside `message`. */
  error?: { message: string } | string
  message?: string
}

interface Pending {
  method: string
  resolve: (result: unknown) => void
  reject: (error: Error) => void
}

type Listener = (params: Params, sessionId: string | undefined) => void
type Fits = (params: Params, sessionId: string | undefined) => boolean

export async function connectProtocol(url: string): Promise<ProtocolClient> {
  const socket = await open(url)
  const pending = new Map<number, Pending>()
  const listeners = new Map<string, Set<Listener>>()
  let lastId = 0

  const closed = new Promise<void>(resolve => {
    socket.once('close', () => {
      for (const { method, reject } of pending.values())
        reject(new Error(`${method}: the connection was closed.`))
      pending.clear()
      resolve()
    })
  })
  // An error is always followed by 'close', which tells everybody who waits.
  socket.on('error', () => undefined)
  socket.on('message', data => {
    const message: Incoming = JSON.parse(String(data))
    if (message.id !== undefined) settle(pending, message.id, message)
    else
      for (const listener of [...(listeners.get(message.method ?? '') ?? [])])
        listener(message.params ?? {}, message.sessionId)
  })

  const send = (method: string, params: Params = {}, sessionId?: string) =>
    new Promise<never>((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN)
        return reject(new Error(`${method}: the connection is closed.`))
      lastId += 1
      pending.set(lastId, { method, resolve: result => resolve(result as never), reject })
      socket.send(JSON.stringify({ id: lastId, method, params, ...(sessionId ? { sessionId } : {}) }))
    })

  const on = (event: string, listener: Listener) => {
    const those = listeners.get(event) ?? new Set()
    listeners.set(event, those.add(listener))
    return () => void those.delete(listener)
  }

  const waitForEvent = (event: string, fits: Fits = () => true, timeoutMs = 60_000) =>
    new Promise<Params>((resolve, reject) => {
      const off = on(event, (params, session) => fits(params, session) && finish(() => resolve(params)))
      const finish = (act: () => void) => {
        clearTimeout(timer)
        off()
        act()
      }
      const timer = setTimeout(
        () => finish(() => reject(new Error(`No ${event} within ${timeoutMs} ms.`))),
        timeoutMs,
      )
    })

  const close = () => {
    socket.close()
    return closed
  }
  return { send, on, waitForEvent, closed, close }
}

function settle(pending: Map<number, Pending>, id: number, { error, message, result }: Incoming): void {
  const command = pending.get(id)
  pending.delete(id)
  if (error === undefined) command?.resolve(result)
  else
    command?.reject(
      new Error(`${command.method}: ${typeof error === 'string' ? `${error}: ${message}` : error.message}`),
    )
}

function open(url: string): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 })
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}
