/**
 * What thin client and companion say to each other: one call, whose result is an exit code, and events while it
 * lasts. Nothing but names, so that the client starts with this alone.
 */
export const RUN_METHOD = 'cli.run'

export const CLI_EVENT = {
  /** Companion: text for stdout or stderr. */
  out: 'out',
  err: 'err',
  /** Companion: send stdin from now on. */
  wantStdin: 'want_stdin',
  /** Companion: an operation of this effect begins, so a lost answer has a meaning. */
  effect: 'effect',
  /** Client: a piece of stdin; null at its end. */
  in: 'in',
} as const

export interface CliResult {
  exit_code: number
}
