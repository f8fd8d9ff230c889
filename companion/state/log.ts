import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { createStream } from 'rotating-file-stream'
import { Failure } from '../../shared/failures.ts'
import { redactText, redactValue } from '../kernel/redact.ts'
import type { LogPort } from '../ports/log.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Rotated files beside the current one: `companion.log.1` is the newest of them. */
export const LOG_FILES = 5
export const LOG_NAME = 'companion.log'
const LOG_SIZE = '5M'

export interface Log extends LogPort {
  setLevel(level: LogLevel): void
  /** Resolves when everything logged so far is in the file. */
  close(): Promise<void>
}

export interface LogOptions {
  /** Absolute; made when it is not there. */
  folder: string
  level: LogLevel
  /** Bytes, kilo- or megabytes such as `64K`, at which a new file is begun; for tests. */
  size?: `${number}${'B' | 'K' | 'M'}`
  /** Called at most once, when the log itself cannot be written. */
  onFault?: (error: Error) => void
}

/** One JSON object a line, redacted, in rotated files that only their owner reads. */
export function openLog(options: LogOptions): Log {
  const { folder, level, size = LOG_SIZE, onFault = toStderr } = options
  prepareFolder(folder)
  const stream = createStream(index => (index ? `${LOG_NAME}.${index}` : LOG_NAME), {
    path: folder,
    size,
    rotate: LOG_FILES,
    mode: 0o600,
  })
  stream.once('error', onFault)
  // Later ones tell the same: without a listener they would end the process.
  stream.on('error', () => undefined)
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    stream,
  )
  const at =
    (name: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (logger.isLevelEnabled(name)) logger[name](redactValue(fields), redactText(message))
    }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    setLevel: next => {
      logger.level = next
    },
    close: () =>
      new Promise(resolve => {
        if (stream.closed || stream.destroyed) resolve()
        else stream.once('close', resolve).end()
      }),
  }
}

function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Failure('state_unavailable', { file: folder, reason }, { cause: error })
  }
}

function toStderr(error: Error): void {
  process.stderr.write(`unicli: the log cannot be written: ${error.message}\n`)
}

/** The current log and the rotated ones, newest first, whether they are there or not. */
export const logFiles = (folder: string): string[] => {
  const current = join(folder, LOG_NAME)
  return [current, ...Array.from({ length: LOG_FILES }, (_, i) => `${current}.${i + 1}`)]
}
