import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Failure } from '../../shared/failures.ts'
import type { OverlayPort } from '../ports/state.ts'
import { writeWhole } from './whole-file.ts'

/** What a repair replaced. */
const Backup = z.strictObject({
  /** Null when the person had no copy of their own. */
  before: z.string().nullable(),
  after: z.string(),
})

/** Keeps every version that a repair replaced, the latest last, so that each can be taken back in turn. */
export function openOverlays(folders: { adapters: string; backups: string }): OverlayPort {
  const placesOf = ({ site, command }: { site: string; command: string }) => ({
    file: join(folders.adapters, site, `${command}.yaml`),
    kept: join(folders.backups, site, command),
  })
  return {
    replace(adapter, text) {
      const { file, kept } = placesOf(adapter)
      return onDisk(file, () => {
        const before = existsSync(file) ? readFileSync(file, 'utf8') : null
        const backup = join(kept, `${String(backupsIn(kept).length + 1).padStart(4, '0')}.json`)
        writeWhole(backup, JSON.stringify({ before, after: text } satisfies z.infer<typeof Backup>))
        writeWhole(file, text)
        return { file, backup }
      })
    },
    restore(adapter) {
      const { file, kept } = placesOf(adapter)
      return onDisk(file, () => {
        const latest = backupsIn(kept).at(-1)
        if (latest === undefined) return null
        const path = join(kept, latest)
        const { before, after } = Backup.parse(JSON.parse(readFileSync(path, 'utf8')))
        const now = existsSync(file) ? readFileSync(file, 'utf8') : null
        if (now !== null && now !== after) throw changedSince(file)
        if (before === null) rmSync(file, { force: true })
        else writeWhole(file, before)
        rmSync(path)
        return { file, restored: before === null ? 'none' : 'previous' }
      })
    },
  }
}

const backupsIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith('.json'))
        .toSorted()
    : []

const changedSince = (file: string): Failure =>
  new Failure('usage', {
    problem: `${file} is not as the repair left it.`,
    hint: 'Put it back by hand, so that nothing of yours is lost.',
  })

function onDisk<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (Failure.is(cause)) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('state_unavailable', { file, reason }, { cause })
  }
}
