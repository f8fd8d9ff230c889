import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

export type HostState = 'running' | 'stopped' | 'gone' | 'unknown'

/** Asks the system whether a process runs, is suspended (SIGSTOP), or is gone. */
export async function hostState(pid: number): Promise<HostState> {
  if (process.platform === 'linux') return linuxState(pid)
  if (process.platform === 'darwin') return macState(pid)
  return 'unknown'
}

/** A host that hangs cannot end itself, and as long as it lives the extension does not connect again. */
export function killHost(pid: number): void {
  // Every other number means a group, everybody, or ourselves.
  if (!Number.isSafeInteger(pid) || pid <= 1 || pid === process.pid) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!hasErrno(error, 'ESRCH', 'EPERM')) throw error
  }
}

async function linuxState(pid: number): Promise<HostState> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; the state is the letter after its last one.
    return stateOf(stat.charAt(stat.lastIndexOf(')') + 2))
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ESRCH')) return 'gone'
    throw error
  }
}

function macState(pid: number): Promise<HostState> {
  return new Promise(resolve => {
    execFile('ps', ['-o', 'state=', '-p', String(pid)], (error, stdout) => {
      resolve(error === null ? stateOf(stdout.trim().charAt(0)) : 'gone')
    })
  })
}

function stateOf(letter: string): HostState {
  if (letter === 'T') return 'stopped'
  return letter === 'Z' || letter === 'X' ? 'gone' : 'running'
}

const hasErrno = (error: unknown, ...codes: string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))
