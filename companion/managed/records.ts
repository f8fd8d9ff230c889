import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parsedJson } from '../../shared/json.ts'
import { readIfThere, removeFile, replaceFile } from '../daemon/atomic-file.ts'
import { isRunning } from '../daemon/lock.ts'

const Kept = z.object({
  name: z.string(),
  /** Of the browser, or of the process that speaks for a remote one. */
  process: z.object({ pid: z.number().int(), identity: z.string().nullable() }),
  /** Null for a browser of this machine. */
  endpoint: z.string().nullable(),
  headless: z.boolean(),
  /** Epoch ms. */
  started_at: z.number(),
})
export type ManagedRecord = z.infer<typeof Kept>

/** Which browsers were started by us and still run: a file each, since they outlive the companion. */
export class ManagedRecords {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Where the profile of a browser of this name lies. */
  profileFolder(name: string): string {
    return join(this.#folder, name, 'profile')
  }

  logFile(name: string): string {
    return join(this.#folder, name, 'browser.log')
  }

  list(): ManagedRecord[] {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const names = readdirSync(this.#folder, { withFileTypes: true }).filter(entry => entry.isDirectory())
    return names.flatMap(({ name }) => this.find(name) ?? [])
  }

  /** Null when none of this name runs. */
  find(name: string): ManagedRecord | null {
    // None, or one that a crash cut short: either way nobody runs by it.
    const parsed = Kept.safeParse(parsedJson(readIfThere(this.#file(name)) ?? '', null))
    return parsed.success && isRunning(parsed.data.process) ? parsed.data : null
  }

  prepare(name: string): void {
    mkdirSync(join(this.#folder, name), { recursive: true, mode: 0o700 })
  }

  save(record: ManagedRecord): void {
    replaceFile(this.#file(record.name), JSON.stringify(record), 0o600)
  }

  forget(name: string): void {
    removeFile(this.#file(name))
  }

  #file(name: string): string {
    return join(this.#folder, name, 'running.json')
  }
}
