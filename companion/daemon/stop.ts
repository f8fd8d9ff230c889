import { setTimeout as delay } from 'node:timers/promises'
import { Failure } from '../../shared/failures.ts'
import type { Paths } from '../state/paths.ts'
import { hasErrno, replaceFile } from './atomic-file.ts'
import { tryConnect } from './client.ts'
import { removeDiscovery } from './discovery.ts'
import { isRunning, type LockHolder, lockHolder } from './lock.ts'
import { CLIENT_METHOD } from './protocol.ts'

const ASK_WITHIN_MS = 2000
/** Longer than the companion gives itself. */
const END_WITHIN_MS = 6000

/**
 * Stops the companion and resolves when its process has ended: asks it first, and signals it when it does not
 * listen. Native hosts leave it stopped until somebody else starts it. Fails with companion_unavailable when
 * the process cannot be ended.
 */
export async function stopCompanion(settings: {
  paths: Paths
  version: string
}): Promise<'stopped' | 'not_running'> {
  const { paths } = settings
  const holder = lockHolder(paths.lock)
  if (holder === null) {
    removeDiscovery(paths)
    return 'not_running'
  }
  // Before it ends: a host that sees it go asks for this file at once.
  replaceFile(paths.stopped, '')
  if (!(await ask(settings))) signal(holder, 'SIGTERM')
  if (await ended(holder, END_WITHIN_MS)) return 'stopped'
  signal(holder, 'SIGKILL')
  if (await ended(holder, ASK_WITHIN_MS)) {
    removeDiscovery(paths)
    return 'stopped'
  }
  throw new Failure('companion_unavailable', { reason: `process ${holder.pid} cannot be ended` })
}

/** False when it does not listen, or not to us. */
async function ask({ paths, version }: { paths: Paths; version: string }): Promise<boolean> {
  try {
    const client = await tryConnect({ paths, role: 'cli', version })
    if (client === null) return false
    await client.call(CLIENT_METHOD.stop, {}, { deadline: Date.now() + ASK_WITHIN_MS, effect: 'read' })
    client.close()
    return true
  } catch (error) {
    if (Failure.is(error)) return false
    throw error
  }
}

/** Only when the process is still the one that took the lock. */
function signal(holder: LockHolder, name: NodeJS.Signals): void {
  try {
    if (isRunning(holder)) process.kill(holder.pid, name)
  } catch (error) {
    // It ended between the look and the signal.
    if (!hasErrno(error, 'ESRCH')) throw error
  }
}

/** The end of a process that is not our child raises no event. */
async function ended(holder: LockHolder, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (isRunning(holder)) {
    if (Date.now() >= deadline) return false
    await delay(20)
  }
  return true
}
