import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, statSync, watch } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { logFiles } from './log.ts'

export interface ReadLogOptions {
  folder: string
  /** How many of the newest lines to begin with. */
  lines: number
  /** Go on with what is written later, across rotations, until `signal` aborts. */
  follow: boolean
  signal: AbortSignal
  /** Gets each line for a person to read, without its line end. */
  onLine: (line: string) => void
}

/** Reads the log for a person. Resolves at its end, or with `follow` when the signal aborts. */
export async function readLog(options: ReadLogOptions): Promise<void> {
  const { folder, lines, follow, signal, onLine } = options
  const tail = new Tail(folder, line => onLine(formatLogLine(line)))
  if (follow) mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Watching begins before reading, so that nothing falls between the two.
  const watcher = follow ? watch(folder, () => tail.pump()) : null
  try {
    tail.start(lines)
    if (watcher === null || signal.aborted) return
    await new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
      watcher.once('error', reject)
    })
  } finally {
    watcher?.close()
    tail.close()
  }
}

/** `2026-11-29 10:00:00.000 WARN  message  key=value`; a line that is no log record stays as it is. */
export function formatLogLine(line: string): string {
  const record = parse(line)
  if (record === null) return line
  const { time, level, msg, ...fields } = record
  const at = String(time).replace('T', ' ').replace('Z', '')
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`)
  return [`${at} ${String(level).toUpperCase().padEnd(5)} ${String(msg ?? '')}`, ...rest].join('  ')
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line)
  } catch (error) {
    // A line cut by a crash is shown as it is.
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const fieldText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)

/** The current file, held open by descriptor so that a rotation takes nothing away from it. */
class Tail {
  readonly #files: readonly string[]
  readonly #onLine: (line: string) => void
  readonly #buffer = Buffer.alloc(65_536)
  #decoder = new StringDecoder('utf8')
  #fd: number | null = null
  #at = 0
  #rest = ''

  constructor(folder: string, onLine: (line: string) => void) {
    this.#files = logFiles(folder)
    this.#onLine = onLine
  }

  /** Gives the newest lines and remembers where they ended. */
  start(count: number): void {
    const [current = '', ...rotated] = this.#files
    this.#open(current)
    let text = this.#fd === null ? '' : this.#readOn()
    const cut = text.lastIndexOf('\n') + 1
    this.#rest = text.slice(cut)
    text = text.slice(0, cut)
    for (const file of rotated) {
      if (text.split('\n').length > count) break
      text = readIfThere(file) + text
    }
    const complete = text.split('\n').slice(0, -1)
    for (const line of count === 0 ? [] : complete.slice(-count)) this.#onLine(line)
  }

  /** Gives every complete line that came since; called on each change of the folder. */
  pump(): void {
    if (this.#fd !== null) this.#give(this.#readOn())
    const [current = ''] = this.#files
    const inode = inodeOf(current)
    if (inode === null || (this.#fd !== null && fstatSync(this.#fd).ino === inode)) return
    for (const file of this.#newer()) {
      this.#open(file)
      this.#give(this.#readOn())
    }
  }

  close(): void {
    if (this.#fd !== null) closeSync(this.#fd)
    this.#fd = null
  }

  /** Files begun after the one held open, oldest first. */
  #newer(): string[] {
    const held = this.#fd === null ? null : fstatSync(this.#fd).ino
    const place = this.#files.findIndex(file => held !== null && inodeOf(file) === held)
    const newer = place === -1 ? this.#files.slice(0, 1) : this.#files.slice(0, place)
    return newer.filter(file => inodeOf(file) !== null).toReversed()
  }

  #open(file: string): void {
    this.close()
    this.#at = 0
    this.#rest = ''
    this.#decoder = new StringDecoder('utf8')
    try {
      this.#fd = openSync(file, 'r')
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }

  #readOn(): string {
    let text = ''
    if (this.#fd === null) return text
    for (;;) {
      const count = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, this.#at)
      if (count === 0) return text
      this.#at += count
      text += this.#decoder.write(this.#buffer.subarray(0, count))
    }
  }

  #give(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#onLine(line)
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

function inodeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? null
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return ''
    throw error
  }
}
