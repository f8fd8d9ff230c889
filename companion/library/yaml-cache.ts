import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import type { LogPort } from '../ports/log.ts'
import { readYaml, type YamlSource } from './yaml-source.ts'

/** Reads YAML texts, remembering those of the last start: parsing is most of what a catalogue costs to load. */
export interface YamlReader {
  /** `file` only names the text; it is the text that decides. Throws YamlFault. */
  read(file: string, text: string): YamlSource
  /** Writes down what was read since the last time, if anything; a fault of the disk is logged and costs nothing. */
  save(): void
}

/** Another number whenever the kept form changes. */
const FORM = 1
const Kept = z.object({
  form: z.literal(FORM),
  sources: z.record(
    z.string(),
    z.object({ text: z.string(), value: z.unknown(), lines: z.custom<YamlSource['lines']>(isLines) }),
  ),
})
type Sources = z.infer<typeof Kept>['sources']

/** @param cacheFile absolute; null keeps nothing */
export function createYamlReader(cacheFile: string | null, log: LogPort): YamlReader {
  const before = cacheFile === null ? {} : load(cacheFile, log)
  const now: Sources = {}
  let dirty = false
  return {
    read(file, text) {
      const known = Object.hasOwn(before, file) ? before[file] : undefined
      const fresh = known?.text !== text
      const source = fresh || known === undefined ? readYaml(text) : known
      now[file] = { text, value: source.value, lines: source.lines }
      dirty ||= fresh
      return source
    },
    save() {
      if (cacheFile === null || !dirty) return
      dirty = false
      store(cacheFile, { form: FORM, sources: now }, log)
    },
  }
}

/** Whatever is wrong with the file, it only costs time. */
function load(file: string, log: LogPort): Sources {
  try {
    const kept = Kept.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    return kept.success ? kept.data.sources : {}
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!missing) log.warn('what was known of adapters cannot be read; they are read anew', { file, error })
    return {}
  }
}

function store(file: string, kept: z.infer<typeof Kept>, log: LogPort): void {
  // One companion at a time has this folder: what an earlier one left half written is written over.
  const staging = `${file}.part`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(staging, JSON.stringify(kept), { mode: 0o600 })
    renameSync(staging, file)
  } catch (error) {
    log.warn('what is known of adapters cannot be kept', { file, error })
  }
}

function isLines(value: unknown): boolean {
  if (typeof value === 'number') return true
  return (
    Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'object' && value[1] !== null
  )
}
