import { tailOf } from '../daemon/text-log.ts'
import type { Paths } from '../state/paths.ts'

/** The last line of the native hosts' log, which holds faults only; null when there is none. */
export function lastHostFault(paths: Paths): { text: string; at: number } | null {
  const line = tailOf(paths.hostLog, 2000).split('\n').at(-1) ?? ''
  const parts = /^(\S+) (.*)$/.exec(line)
  const at = Date.parse(parts?.[1] ?? '')
  return Number.isNaN(at) ? null : { text: parts?.[2] ?? '', at }
}
