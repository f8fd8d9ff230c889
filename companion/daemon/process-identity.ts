import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hasErrno, readIfThere } from './atomic-file.ts'

/**
 * When a process started, as text that another process with the same number cannot have. Null when no such
 * process runs; a zombie does not run.
 */
export function identityOf(pid: number): string | null {
  if (process.platform === 'linux') return linuxIdentity(pid)
  if (process.platform === 'win32')
    return ask('powershell.exe', [
      '-NoProfile',
      '-Command',
      `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`,
    ])
  return ask('ps', ['-o', 'lstart=', '-p', String(pid)])
}

function linuxIdentity(pid: number): string | null {
  const stat = readStat(pid)
  if (stat === null) return null
  // The name in parentheses may hold spaces and parentheses; state and the rest follow its last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  // Field 22 of proc(5): ticks since boot. Another boot may give the same number, hence the boot's id.
  return state === 'Z' || state === 'X' ? null : `${bootId()} ${fields[19]}`
}

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()

function readStat(pid: number): string | null {
  try {
    return readIfThere(`/proc/${pid}/stat`)
  } catch (error) {
    if (hasErrno(error, 'ESRCH')) return null
    throw error
  }
}

function ask(program: string, args: string[]): string | null {
  try {
    const answer = execFileSync(program, args, {
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return answer.toString().trim() || null
  } catch (error) {
    // Both programs exit with 1 when there is no such process.
    if (error instanceof Error && 'status' in error) return null
    throw error
  }
}
