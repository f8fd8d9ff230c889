import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Failure } from '../../shared/failures.ts'
import type { Paths } from '../state/paths.ts'
import { prepareFolders } from './folder.ts'
import type { StartReport } from './lifecycle.ts'
import { openTextLog, tailOf } from './text-log.ts'

/** One that fails ends at once; only a busy machine needs this long. */
const READY_WITHIN_MS = 30_000
const TAIL_CHARACTERS = 1500

/** What a program needs to find its files, its display and the network, and nothing of what else is set. */
const INHERITED =
  /^(PATH|HOME|USER|LOGNAME|LANG|TZ|TMPDIR|TEMP|TMP|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL)_PROXY|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|PROGRAMFILES|PROGRAMDATA|(LC|XDG|UNICLI)_\w+)$/i

/** Starts the companion so that it outlives us, and waits until it can be reached. Fails with companion_unavailable. */
export async function startCompanionProcess(
  paths: Paths,
  entry: string,
  env: Record<string, string | undefined>,
): Promise<void> {
  prepareFolders(paths)
  const log = openTextLog(paths.crashLog)
  const child = spawn(process.execPath, [entry], {
    cwd: paths.home,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => INHERITED.test(name))),
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    detached: true,
    windowsHide: true,
  })
  closeSync(log.fd)
  const problem = await firstReport(child)
  if (child.connected) child.disconnect()
  child.unref()
  if (problem === null) return
  const printed = tailOf(paths.crashLog, TAIL_CHARACTERS, log.start)
  const reason = printed === '' ? problem : `${problem}; it printed:\n${printed}`
  throw new Failure('companion_unavailable', { reason })
}

/** Null when it is ready. */
function firstReport(child: ChildProcess): Promise<string | null> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(`it was not ready after ${READY_WITHIN_MS} ms`), READY_WITHIN_MS)
    const settle = (problem: string | null) => {
      clearTimeout(timer)
      resolve(problem)
    }
    child.once('message', (message: StartReport) => settle(message.ready ? null : message.reason))
    child.once('error', error => settle(error.message))
    child.once('exit', (code, signal) =>
      settle(`it ended with ${signal ?? `code ${code}`} before it was ready`),
    )
  })
}
