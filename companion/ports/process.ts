import type { AccessCheck } from './access.ts'
import type { CallOptions } from './browser.ts'

/** Programs that run side by side, each reading what the one before it writes. There is never a shell. */
export interface CommandLine {
  /** Program and arguments of each. */
  commands: readonly (readonly string[])[]
  /** Absolute. */
  cwd: string
  /** Beside what every program gets (PATH, HOME, language) and what is set of the declared names: values for these. */
  env: Readonly<Record<string, string>>
  stdin: string | Uint8Array
  /** Most bytes that the last one may write to stdout. */
  maxBytes: number
  /** It changes nothing outside of the run's temp folder: it may be asked again. */
  read: boolean
}

export interface EndedCommand {
  program: string
  /** Null when a signal ended it. */
  exit: number | null
  signal: string | null
  /** Its last part, when there is much. */
  stderr: string
}

export interface CommandOutput {
  stdout: Uint8Array
  /** In the order of the commands. */
  ended: readonly EndedCommand[]
}

/**
 * An exit code is an answer, not a failure. Everything that the commands started is ended with them. Fails with
 * executable_not_declared, adapter_invalid (a name that is not declared), unsupported (no such program), command_failed (too much output, cannot be started),
 * deadline_exceeded, cancelled, and as AccessCheck does.
 */
export interface ProcessPort {
  run(line: CommandLine, options: CallOptions): Promise<CommandOutput>
}

export interface ProcessFactory {
  open(options: {
    access: AccessCheck
    /** Programs that may be started, as the adapter declares them. */
    executables: readonly string[]
    /** Environment names that the adapter declares. */
    env: readonly string[]
  }): ProcessPort
  /** Values of those of the names that are set. */
  environment(names: readonly string[]): Record<string, string>
}
