import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { Failure } from '../../../shared/failures.ts'
import type { EndedCommand } from '../../ports/process.ts'

const STDERR_CHARS = 4000

/**
 * A program with a process group of its own, so that everything that it starts can be ended with it. Its end is told
 * once nobody writes to its output any more.
 */
export class Child {
  readonly stdout: Readable
  /** A failure when it never started. */
  readonly ended: Promise<EndedCommand | Failure>
  readonly #program: string
  readonly #child: ChildProcessWithoutNullStreams
  #isOver = false

  constructor(
    program: string,
    [file, ...args]: readonly [string, ...string[]],
    options: { cwd: string; env: Record<string, string> },
  ) {
    const child = started(program, file, args, options)
    this.#program = program
    this.#child = child
    this.stdout = child.stdout
    this.ended = this.#watch(child.stderr)
  }

  feed(input: Readable | string | Uint8Array): void {
    // A program may end before it has read everything, which is its right.
    this.#child.stdin.on('error', () => undefined)
    if (input instanceof Readable) {
      input.on('error', () => undefined)
      input.pipe(this.#child.stdin)
      // The one that writes learns that nobody reads any more.
      this.#child.once('exit', () => input.destroy())
    } else this.#child.stdin.end(input)
  }

  async read(maxBytes: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of this.stdout as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > maxBytes)
        throw new Failure('command_failed', {
          command: this.#program,
          reason: `it wrote more than ${maxBytes} bytes`,
          output: '',
        })
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** Ends it and all that it has started. */
  end(): void {
    const { pid } = this.#child
    if (pid === undefined || this.#isOver) return
    if (process.platform === 'win32')
      spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
    else killGroup(pid)
  }

  #watch(stderr: Readable): Promise<EndedCommand | Failure> {
    let said = ''
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(-STDERR_CHARS)
    })
    return new Promise(resolve => {
      this.#child.once('error', error => {
        this.#isOver = true
        resolve(notStarted(this.#program, error))
      })
      this.#child.once('exit', () => {
        // What it left running would hold its output open; the group's number is ours until it is empty.
        this.end()
        this.#isOver = true
      })
      this.#child.once('close', (exit, signal) =>
        resolve({ program: this.#program, exit, signal, stderr: said.trim() }),
      )
    })
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // The group is empty already, or (EPERM, on macOS) holds only what is about to be reaped.
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

function started(
  program: string,
  file: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
): ChildProcessWithoutNullStreams {
  try {
    return spawn(file, args, {
      ...options,
      // A group of its own; on Windows it would only open a window.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (error) {
    throw notStarted(program, error)
  }
}

function notStarted(command: string, error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  const said = error instanceof Error ? error.message : String(error)
  const reason = code === 'E2BIG' ? 'its arguments are too long' : `it did not start (${said})`
  return new Failure('command_failed', { command, reason, output: '' }, { cause: error })
}
