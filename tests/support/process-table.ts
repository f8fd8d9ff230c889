import { readdir, readFile, readlink } from 'node:fs/promises'

/** A process as /proc tells of it. */
export interface ListedProcess {
  pid: number
  args: string[]
}

/** All processes that run with this UNICLI_HOME: companion, hosts, command lines, browsers. Linux only. */
export async function processesOfHome(unicliHome: string): Promise<ListedProcess[]> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(pids.map(pid => ofHome(pid, unicliHome)))
  return found.flatMap(listed => listed ?? [])
}

/** The native hosts among them. */
export async function hostsOfHome(unicliHome: string): Promise<number[]> {
  const listed = await processesOfHome(unicliHome)
  return listed.filter(({ args }) => args[1]?.endsWith('/host.cjs')).map(({ pid }) => pid)
}

/** What the process holds open: names of files, sockets and pipes. */
export async function openHandles(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`)
  const targets = await Promise.all(names.map(name => orNone(readlink(`/proc/${pid}/fd/${name}`))))
  return targets.flatMap(target => target ?? [])
}

/** Bytes of memory that the process has to itself or shares. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024
}

async function ofHome(pid: number, unicliHome: string): Promise<ListedProcess | null> {
  const env = await orNone(readFile(`/proc/${pid}/environ`, 'utf8'))
  if (!env?.split('\0').includes(`UNICLI_HOME=${unicliHome}`)) return null
  const line = await orNone(readFile(`/proc/${pid}/cmdline`, 'utf8'))
  // A zombie has no command line any more.
  return line ? { pid, args: line.split('\0').slice(0, -1) } : null
}

/** A process may end while it is looked at; some are not ours to look at. */
async function orNone<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (error instanceof Error && 'code' in error && GONE.has(String(error.code))) return null
    throw error
  }
}

const GONE = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])
