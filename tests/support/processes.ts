import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { captureOutput } from './output.ts'

/** How a process ended: exactly one of the two is not null. */
export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A running program, alone in its process group, whose output is kept. */
export interface Spawned {
  pid: number
  child: ChildProcess
  /** All that the program has printed so far. */
  stdout(): string
  stderr(): string
  /** Settles when the program has ended and its output is complete. Never rejects. */
  exited: Promise<Exit>
  isRunning(): boolean
  /** Resolves with the match of the first line, past or future, that fits; rejects when the program ends before. */
  waitForLine(pattern: RegExp, options?: { timeoutMs?: number }): Promise<RegExpMatchArray>
  /** Sends a signal to the whole process group. Does nothing when it has ended. */
  kill(signal?: NodeJS.Signals): void
  /** SIGTERM, then SIGKILL after the grace time, to the whole group; resolves when the program has ended. */
  stop(options?: { graceMs?: number }): Promise<Exit>
}

export interface SpawnSettings {
  env?: Record<string, string>
  cwd?: string
  /** File descriptors 3 and up that the program gets as pipes, readable through `child.stdio`. */
  extraPipes?: number
  /** Written to stdin, which is then closed. Without it stdin is left open as a pipe. */
  input?: string
}

const DEFAULT_TIMEOUT_MS = 60_000

/**
 * Starts a program in a process group of its own. Groups still alive when this process ends are killed, so
 * that a failed test leaves nothing behind.
 *
 * @throws when the program cannot be started (ENOENT and the like)
 */
export async function spawnProcess(
  file: string,
  args: string[],
  settings: SpawnSettings = {},
): Promise<Spawned> {
  const extra = Array.from({ length: settings.extraPipes ?? 0 }, () => 'pipe' as const)
  const child = spawn(file, args, {
    cwd: settings.cwd,
    env: settings.env ?? process.env,
    detached: process.platform !== 'win32',
    stdio: ['pipe', 'pipe', 'pipe', ...extra],
  })
  const output = captureOutput(child)
  const pid = await started(child)
  liveGroups.add(pid)
  const exited = new Promise<Exit>(resolve => {
    child.once('close', (code, signal) => {
      liveGroups.delete(pid)
      resolve({ code, signal })
    })
  })
  // A program may end without reading what it was given; that is its right, and `exited` tells how it ended.
  child.stdin?.on('error', () => undefined)
  if (settings.input !== undefined) child.stdin?.end(settings.input)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  return {
    pid,
    child,
    stdout: output.stdout,
    stderr: output.stderr,
    exited,
    isRunning,
    waitForLine: (pattern, options) =>
      output.waitForLine(`${file} (${pid})`, pattern, exited, options?.timeoutMs),
    kill: (name = 'SIGTERM') => signalGroup(pid, name),
    stop: options => stopGroup(pid, exited, options?.graceMs ?? 3000),
  }
}

/** True while a process with this id exists and is no zombie waiting for its parent. */
export function isAlive(pid: number): boolean {
  return signal(pid, 0) && !isZombie(pid)
}

/** Resolves when the process is gone; rejects, naming it, when it still runs at the deadline. For processes that are not our children. */
export async function assertExited(pid: number, options: { timeoutMs?: number } = {}): Promise<void> {
  await waitFor(() => !isAlive(pid), { what: `process ${pid} to end`, ...options })
}

/**
 * Polls until the check gives a truthy value and resolves with it. For conditions that no event announces.
 * What the check throws counts as "not yet"; the last such error is told at the deadline.
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  options: { what: string; timeoutMs?: number; everyMs?: number },
): Promise<NonNullable<T>> {
  const deadline = Date.now() + (options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  for (;;) {
    let lastError: unknown
    try {
      const value = await check()
      if (value) return value
    } catch (error) {
      lastError = error
    }
    if (Date.now() >= deadline) throw new Error(`Waited in vain for ${options.what}.`, { cause: lastError })
    await delay(options.everyMs ?? 25)
  }
}

/**
 * Gives a free port number to a program that cannot choose one itself (port 0), and tries another number when
 * the program says, by returning `'taken'`, that somebody else was quicker.
 */
export async function withFreePort<T extends object>(
  start: (port: number) => Promise<T | 'taken'>,
): Promise<T> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const result = await start(await freePort())
    if (result !== 'taken') return result
  }
  throw new Error('Ten free ports in a row were taken by others before the program could listen.')
}

/** A port of 127.0.0.1 that was free a moment ago. Prefer `withFreePort`, which copes with its loss. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('The system gave no port number.')
  return address.port
}

const liveGroups = new Set<number>()

function killLiveGroups(): void {
  for (const pid of liveGroups) signalGroup(pid, 'SIGKILL')
}

process.on('exit', killLiveGroups)
// vitest ends its workers by SIGTERM, which Node obeys without an 'exit'. Whoever else listens decides what follows.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(name, () => {
    killLiveGroups()
    if (process.listenerCount(name) === 0) process.kill(process.pid, name)
  })
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () =>
      child.pid === undefined ? reject(new Error('No process id.')) : resolve(child.pid),
    )
  })
}

async function stopGroup(pid: number, exited: Promise<Exit>, graceMs: number): Promise<Exit> {
  signalGroup(pid, 'SIGTERM')
  const patience = new AbortController()
  await Promise.race([exited, delay(graceMs, undefined, { signal: patience.signal }).catch(ignoreAbort)])
  patience.abort()
  // The leader may have gone while its children stay: they are in the same group.
  signalGroup(pid, 'SIGKILL')
  return exited
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  signal(process.platform === 'win32' ? pid : -pid, name)
}

/** Returns whether there was somebody to receive the signal. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, name)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    if (hasCode(error, 'EPERM')) return true
    throw error
  }
}

function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return true
    throw error
  }
}

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
