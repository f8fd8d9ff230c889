import type { CallOptions } from './browser.ts'

export interface SocketRequest {
  /** wss: or ws:. */
  url: string
  headers: Record<string, string>
  protocols: readonly string[]
  /** Nothing that is sent over it changes the site. */
  read: boolean
}

/** Text, or bytes. */
export type SocketMessage = string | Uint8Array

/** An open WebSocket. Messages wait in order until they are taken. */
export interface Socket {
  send(message: SocketMessage): void
  /** The next message; null when the other side has closed it. Fails with network_error, and as the signal says. */
  next(signal: AbortSignal): Promise<SocketMessage | null>
  /** Ends the connection at once. */
  close(): void
}

export interface SocketPort {
  /** Fails with network_error, http_error (no upgrade), origin_not_allowed, and as AccessCheck does. */
  socket(request: SocketRequest, options: CallOptions): Promise<Socket>
}
