/** The one log. Fields are redacted by its owner, so a caller passes what it has; `error` is a good field name for
 *  what was thrown. */
export interface LogPort {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}
