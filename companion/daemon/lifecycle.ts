import { watch } from 'node:fs'
import { PROTOCOL } from '../../shared/chunk.ts'
import { Failure } from '../../shared/failures.ts'
import type { Paths } from '../state/paths.ts'
import { removeFile } from './atomic-file.ts'
import { readDiscovery, removeDiscovery, writeDiscovery } from './discovery.ts'
import { prepareFolders } from './folder.ts'
import { acquireLock, isRunning, type LockHolder } from './lock.ts'
import { ensureToken } from './token.ts'

/** What the companion is given by its process. */
export interface CompanionOptions {
  paths: Paths
  token: string
  version: string
  /** Epoch ms. */
  startedAt: number
  /** Ends the process in good order: `stop` of what `start` gave is called once. */
  requestStop: (reason: string) => void
}

export interface RunningCompanion {
  /** Goes into the discovery file; null when HTTP is off. */
  http_url: string | null
  /** Refuses new calls, ends running ones with a failure, closes everything. */
  stop(reason: string): Promise<void>
}

/** What a companion tells, once, to the process that started it. */
export type StartReport = { ready: true } | { ready: false; reason: string }

const WINNER_WITHIN_MS = 30_000
const STOP_WITHIN_MS = 5000

/**
 * The life of the one companion of this home: takes the lock, starts it, tells where it is, and stops it when
 * it is asked to or the system says so. When another has the lock, waits until that one can be reached and
 * ends; when that one dies, takes its place.
 */
export async function runCompanion(settings: {
  paths: Paths
  version: string
  start: (options: CompanionOptions) => Promise<RunningCompanion>
}): Promise<void> {
  const { paths } = settings
  try {
    prepareFolders(paths)
    if (!(await becomeTheOne(paths))) return await report({ ready: true })
    await live(settings)
    await report({ ready: true })
  } catch (error) {
    console.error(error)
    await report({ ready: false, reason: Failure.is(error) ? error.message : String(error) })
    process.exit(1)
  }
}

/** False when another companion is there and can be reached. */
async function becomeTheOne(paths: Paths): Promise<boolean> {
  const deadline = Date.now() + WINNER_WITHIN_MS
  for (;;) {
    const lock = acquireLock(paths.lock)
    if (lock === 'acquired') return true
    const outcome = await winner(paths, lock.holder, deadline)
    if (outcome === 'reachable') return false
    if (outcome === 'silent')
      throw new Failure('companion_unavailable', {
        reason: `process ${lock.holder.pid} holds the lock and does not come up`,
      })
  }
}

/** Waits for the discovery file of the lock's holder. */
function winner(
  paths: Paths,
  holder: LockHolder,
  deadline: number,
): Promise<'reachable' | 'gone' | 'silent'> {
  return new Promise(resolve => {
    const look = () => {
      if (readDiscovery(paths)?.pid === holder.pid) settle('reachable')
      else if (!isRunning(holder)) settle('gone')
      else if (Date.now() >= deadline) settle('silent')
    }
    const settle = (outcome: 'reachable' | 'gone' | 'silent') => {
      watcher.close()
      clearInterval(timer)
      resolve(outcome)
    }
    const watcher = watch(paths.run, look)
    // The end of a process that is not our child raises no event.
    const timer = setInterval(look, 100)
    look()
  })
}

async function live({ paths, version, start }: Parameters<typeof runCompanion>[0]): Promise<void> {
  const startedAt = Date.now()
  removeFile(paths.stopped)
  let running: RunningCompanion | null = null
  let isStopping = false
  const requestStop = (reason: string) => {
    if (isStopping) return
    isStopping = true
    void end(paths, running, reason)
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => requestStop(name))
  running = await start({ paths, token: ensureToken(paths), version, startedAt, requestStop })
  writeDiscovery(paths, {
    pid: process.pid,
    version,
    protocol: PROTOCOL,
    socket: paths.socket,
    http_url: running.http_url,
    started_at: startedAt,
  })
  // Without its files nobody finds it any more, and it would stay for ever.
  watch(paths.run, () => {
    if (readDiscovery(paths)?.pid !== process.pid) requestStop('its discovery file is gone')
  }).on('error', () => requestStop('its folder is gone'))
}

async function end(paths: Paths, running: RunningCompanion | null, reason: string): Promise<never> {
  setTimeout(() => process.exit(1), STOP_WITHIN_MS)
  if (readDiscovery(paths)?.pid === process.pid) removeDiscovery(paths)
  try {
    await running?.stop(reason)
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
  process.exit(0)
}

async function report(message: StartReport): Promise<void> {
  const { send } = process
  if (send === undefined || !process.connected) return
  // Whoever started us may be gone; then nobody waits for this either.
  await new Promise<void>(resolve => send.call(process, message, () => resolve()))
  process.disconnect()
}
