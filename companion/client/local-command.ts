import type { Paths } from '../state/paths.ts'
import type { Answer } from '../surfaces/cli/answer.ts'
import type { LeafSpec, Parsed } from '../surfaces/cli/leaf.ts'
import type { Printer } from '../surfaces/cli/output/printer.ts'
import type { OutputFlags } from '../surfaces/cli/run-flags.ts'
import type { ClientSettings } from './settings.ts'

/** A command that the thin client does itself. */
export interface LocalCommand extends LeafSpec {
  /** An answer to print, or the exit code of what has printed by itself. */
  run(call: LocalCall): Promise<Answer | number>
}

export interface LocalCall {
  settings: ClientSettings
  paths: Paths
  parsed: Parsed
  flags: OutputFlags
  printer: Printer
}
