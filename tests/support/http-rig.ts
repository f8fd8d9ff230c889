import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../companion/kernel/operation.ts'
import type { HttpSurfaceParts } from '../../companion/surfaces/http/surface.ts'
import { createHttpSurface } from '../../companion/surfaces/http/surface.ts'
import type { Status } from '../../shared/status.ts'
import { type Script, type ScriptedKernel, scriptedKernel } from './scripted-kernel.ts'

export const TOKEN = 'correct-horse-battery-staple'

export interface HttpRig {
  url: string
  /** `127.0.0.1:<port>` */
  host: string
  port: number
  kernel: ScriptedKernel
  /** fetch with the token; a body is sent as JSON. */
  call(
    path: string,
    init?: { method?: string; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>
  /** Sends bytes as they are and resolves with all that came back until the server closed. */
  raw(request: string): Promise<string>
  /** Tells every listener, as the daemon does when its state changes. */
  announce(status: Status): void
  announceRun(event: RunEvent): void
  /** Listeners that are still subscribed. */
  listeners(): number
  faults: unknown[]
  close(): Promise<void>
}

/** One that closes when the test that opened it is over. */
export async function openHttpRig(...args: Parameters<typeof startHttpRig>): Promise<HttpRig> {
  const rig = await startHttpRig(...args)
  onTestFinished(rig.close)
  return rig
}

/** A real HTTP surface on a port of its own, before a scripted kernel. */
export async function startHttpRig(
  scripts: readonly Script[] = [],
  over: Partial<HttpSurfaceParts> = {},
): Promise<HttpRig> {
  const kernel = scriptedKernel(scripts)
  const statusListeners = new Set<(status: Status) => void>()
  const runListeners = new Set<(event: RunEvent) => void>()
  const faults: unknown[] = []
  const surface = createHttpSurface({
    kernel,
    ledger: { list: () => [], get: () => null },
    evidence: { get: () => null },
    status: () => statusOf(scripts.length),
    onStatus: listener => subscribe(statusListeners, listener),
    onRunEvent: listener => subscribe(runListeners, listener),
    token: TOKEN,
    takesYes: () => false,
    version: '0.0.0-test',
    docsAssets: 'node_modules/swagger-ui-dist',
    onFault: error => faults.push(error),
    ...over,
  })
  const listener = await surface.listen(0)
  const { host, port } = new URL(listener.url)
  return {
    url: listener.url,
    host,
    port: Number(port),
    kernel,
    call: (path, { body, headers, ...init } = {}) =>
      fetch(`${listener.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...jsonType(body), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    raw: request => exchange(Number(port), request),
    announce: status => each(statusListeners, status),
    announceRun: event => each(runListeners, event),
    listeners: () => statusListeners.size + runListeners.size,
    faults,
    close: listener.close,
  }
}

export const statusOf = (operations: number): Status => ({
  version: '0.0.0-test',
  protocol: 1,
  pid: process.pid,
  started_at: 0,
  uptime_ms: 1,
  http_url: null,
  operations,
  adapter_faults: 0,
  profiles: [],
  running: [],
  last_run: null,
  approvals: [],
})

const jsonType = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { 'content-type': 'application/json' }

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function each<T>(listeners: Set<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) listener(value)
}

function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  return text(socket)
}
