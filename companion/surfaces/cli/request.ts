import { z } from 'zod'
import type { Effect } from '../../../shared/envelope.ts'

/** What the thin client knows about the place where it was typed. */
export const CliRequest = z.object({
  /** Of the client. */
  version: z.string(),
  /** Words after `unicli`. */
  argv: z.array(z.string()),
  /** Absolute folder of the caller. */
  cwd: z.string(),
  /** Only variables that change how we print: NO_COLOR, FORCE_COLOR, TERM, UNICLI_OUTPUT and the like. */
  env: z.record(z.string(), z.string()),
  tty: z.object({
    stdin: z.boolean(),
    stdout: z.boolean(),
    stderr: z.boolean(),
    /** Width of the terminal; null when there is none. */
    columns: z.number().int().positive().nullable(),
  }),
})
export type CliRequest = z.infer<typeof CliRequest>

/** The caller's three streams, wherever they are. */
export interface CliIo {
  out(text: string): void
  err(text: string): void
  /** Says, before an operation begins, what a lost answer would mean. */
  effect(effect: Effect): void
  /** Asks the client for its stdin; it is not read before. Ends at its end. */
  stdin(): AsyncIterable<string>
  /** Aborts when the client went away or the person pressed Ctrl-C. */
  signal: AbortSignal
}
