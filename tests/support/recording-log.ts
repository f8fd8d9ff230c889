import type { LogPort } from '../../companion/ports/log.ts'

/** A log that keeps its lines for a test to look at. */
export interface RecordingLog extends LogPort {
  lines: { level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: Record<string, unknown> }[]
}

export function recordingLog(): RecordingLog {
  const lines: RecordingLog['lines'] = []
  const at =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      lines.push({ level, message, fields })
    }
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
