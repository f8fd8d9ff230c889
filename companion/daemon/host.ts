import { existsSync, mkdirSync, watch } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../shared/failures.ts'
import type { Paths } from '../state/paths.ts'
import { readDiscovery } from './discovery.ts'
import { ensureAttached } from './launch.ts'
import { isOwnOrigin, originOf } from './origin.ts'
import { PayloadStream } from './payload-stream.ts'
import { welcome } from './protocol.ts'
import { Relay } from './relay.ts'
import { appendLine } from './text-log.ts'

export interface HostSettings {
  /** What the browser passed, without node and script. */
  argv: readonly string[]
  paths: Paths
  version: string
  /** The file that is the companion. */
  entry: string
  input: Readable
  output: Writable
  /** The name of the managed browser that started it. */
  managed?: string | undefined
}

/**
 * The native host: the browser starts one for each profile. Relays between the extension and the companion,
 * which it starts when none runs. Resolves with the exit code when either side has ended.
 */
export async function runHost(settings: HostSettings): Promise<number> {
  const { argv, paths } = settings
  const log = (text: string) => {
    mkdirSync(paths.logs, { recursive: true, mode: 0o700 })
    appendLine(paths.hostLog, `[${process.pid}] ${text}`)
  }
  const origin = originOf(argv)
  if (origin === null || !isOwnOrigin(origin)) {
    log(`refused: ${origin ?? 'nobody'} is not the extension that this host serves`)
    return 1
  }
  const ends = new AbortController()
  const relay = new Relay(new PayloadStream(settings.input, settings.output), ({ side, fault }) => {
    if (fault !== null) log(`the ${side} sent something faulty: ${fault}`)
    ends.abort()
  })
  const failure = await connect(relay, settings, origin)
  if (failure !== null) {
    log(`${failure.code}: ${failure.message}`)
    relay.tellBrowser(welcome(settings.version, failure))
    // The extension would ask again and again; wait with it for whoever starts the companion.
    if (existsSync(paths.stopped)) await companionStarted(paths, ends.signal)
    ends.abort()
  }
  await aborted(ends.signal)
  await relay.flush()
  return failure === null ? 0 : 1
}

async function connect(relay: Relay, settings: HostSettings, origin: string): Promise<Failure | null> {
  const { paths, version, entry, managed } = settings
  try {
    const { stream } = await ensureAttached({
      paths,
      role: 'host',
      version,
      entry,
      origin,
      managed,
      unlessStopped: true,
    })
    relay.connect(stream)
    return null
  } catch (error) {
    return Failure.from(error)
  }
}

/** Resolves when a companion can be found, or when nobody waits for it any more. */
function companionStarted(paths: Paths, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const look = () => {
      if (readDiscovery(paths) === null && !signal.aborted) return
      watcher.close()
      resolve()
    }
    const watcher = watch(paths.run, look)
    signal.addEventListener('abort', look)
    look()
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
