import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../shared/failures.ts'
import { redactValue } from '../kernel/redact.ts'
import type { GoalStatePort } from '../ports/state.ts'
import { writeWhole } from './whole-file.ts'

/** One file for each goal that was worked on; a file that cannot be read is state_unavailable. */
export function openGoalStates(folder: string): GoalStatePort {
  const fileOf = (key: string): string => join(folder, `${key}.json`)
  return {
    load(key) {
      const file = fileOf(key)
      if (!existsSync(file)) return null
      try {
        return JSON.parse(readFileSync(file, 'utf8')) as unknown
      } catch (cause) {
        // Without it a write could be done twice: better to stop.
        throw new Failure('state_unavailable', { file, reason: reasonOf(cause) }, { cause })
      }
    },
    save(key, state) {
      const file = fileOf(key)
      try {
        writeWhole(file, JSON.stringify(redactValue(state)))
      } catch (cause) {
        throw new Failure('state_unavailable', { file, reason: reasonOf(cause) }, { cause })
      }
    },
  }
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
