import type { Answer } from './answer.ts'
import type { LeafSpec, Parsed } from './leaf.ts'
import type { CliParts } from './parts.ts'
import type { Stream } from './terminal.ts'

/** A command of our own, as data with its deed. Help, completion and parsing follow from it. */
export interface CliCommand extends LeafSpec {
  /** What it takes when that hangs on the words that follow its name; else what it is declared with. */
  shape?: (parts: CliParts, argv: readonly string[]) => LeafSpec
  run(call: CommandCall): Answer | Promise<Answer>
}

export interface CommandCall {
  parts: CliParts
  parsed: Parsed
  /** Absolute folder of the caller, where relative paths begin. */
  cwd: string
  /** Version of the client that asks. */
  client: string
  /** For commands whose answer has a form for people. */
  out: Stream
  /** Aborts when the caller went away. */
  signal: AbortSignal
  /** A person sits at the terminal. */
  interactive: boolean
}
