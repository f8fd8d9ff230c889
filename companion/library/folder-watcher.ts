import { type FSWatcher, statSync, watch } from 'node:fs'
import type { LogPort } from '../ports/log.ts'

/** Editors write a file in several steps: a change is told when it has been quiet for this long. */
const QUIET_MS = 80

/** Watches a set of folders, not what is below them: recursive watching is young on Linux, and loses renames. */
export class FolderWatcher {
  readonly #onQuiet: () => readonly string[]
  readonly #log: LogPort
  readonly #watchers = new Map<string, { watcher: FSWatcher; identity: string | null }>()
  #timer: NodeJS.Timeout | null = null

  /** @param onQuiet called after changes; gives the folders to watch from now on */
  constructor(onQuiet: () => readonly string[], log: LogPort) {
    this.#onQuiet = onQuiet
    this.#log = log
  }

  start(folders: readonly string[]): void {
    for (const [folder, { watcher, identity }] of this.#watchers) {
      // A folder that was deleted and made again is another folder, and the old watcher is deaf.
      if (folders.includes(folder) && identityOf(folder) === identity) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    for (const { watcher } of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#later())
      watcher.on('error', () => this.#forget(folder, watcher))
      this.#watchers.set(folder, { watcher, identity: identityOf(folder) })
      // What came between reading the folder and watching it shows only in another reading.
      this.#later()
    } catch (error) {
      this.#log.warn('a folder of adapters cannot be watched', { folder, error })
    }
  }

  #forget(folder: string, watcher: FSWatcher): void {
    watcher.close()
    if (this.#watchers.get(folder)?.watcher === watcher) this.#watchers.delete(folder)
    this.#later()
  }

  #later(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#timer = null
      try {
        this.start(this.#onQuiet())
      } catch (error) {
        this.#log.warn('changed adapters could not be read', { error })
      }
    }, QUIET_MS)
    this.#timer.unref()
  }
}

/** File systems give the number of a deleted folder to the next one: its birth tells them apart. */
function identityOf(folder: string): string | null {
  const stat = statSync(folder, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? null : `${stat.ino}:${stat.birthtimeNs}`
}
