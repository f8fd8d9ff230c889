import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { Failure } from '../../shared/failures.ts'
import type { Operation } from '../kernel/operation.ts'
import type { AnyStep } from '../kernel/step.ts'
import {
  type AdapterId,
  type AdapterLayers,
  fileIn,
  filesOf,
  type LayeredFile,
  noAdapter,
} from './adapter-layers.ts'
import { adapterFilesIn, type LintReport, lintPaths } from './adapter-lint.ts'
import { migrateAdapter } from './adapter-migrations.ts'
import { SCHEMA_FILE, SCHEMA_LINE, type SkeletonStrategy, skeletonOf } from './adapter-skeletons.ts'

export interface WorkbenchOptions extends AdapterLayers {
  steps: ReadonlyMap<string, AnyStep>
  /** The published JSON Schema of adapters; absolute. */
  schema: string
  operations: () => readonly Operation[]
  now?: () => Date
}

/** What a migration did with one file. */
export interface Migrated {
  file: string
  /** What was changed, and what a person has to look at. */
  changes: readonly string[]
  open: readonly string[]
  diff: string
  written: boolean
}

/** Changes adapters of one's own; what comes with the product is never written to. */
export class AdapterWorkbench {
  readonly #options: WorkbenchOptions

  constructor(options: WorkbenchOptions) {
    this.#options = options
  }

  /** Own and extra adapters, and whether each stands in for a weaker one. */
  list(): { operation: string; layer: LayeredFile['layer']; file: string; replaces: string | null }[] {
    return this.#options
      .operations()
      .filter(({ adapterPath }) => adapterPath !== null)
      .flatMap(({ id, site, command }) => {
        const files = filesOf(this.#options, { site, command })
        const used = files.at(-1)
        if (used === undefined || used.layer === 'packaged') return []
        return [{ operation: id, ...used, replaces: files.at(-2)?.file ?? null }]
      })
  }

  /** Without paths: the person's own adapters and those of further folders. */
  lint(paths: readonly string[]): LintReport {
    const ids = new Set(this.#options.operations().map(({ id }) => id))
    return lintPaths(paths.length > 0 ? paths : this.#ownFolders(), {
      steps: this.#options.steps,
      has: id => ids.has(id),
    })
  }

  /** Writes a skeleton. @param folder of adapters; the person's own when it is null */
  create(id: AdapterId, given: { strategy: SkeletonStrategy; base: string; folder: string | null }): string {
    const folder = given.folder ?? this.#options.overlay
    const file = fileIn(folder, id)
    if (existsSync(file)) throw isThere(file, 'Edit it, or choose another name.')
    this.#write(folder, file, skeletonOf(id, given.strategy, given.base))
    return file
  }

  /** Copies the packaged adapter, so that the person's copy wins from now on. */
  eject(id: AdapterId): { file: string; from: string } {
    const from = this.#packaged(id)
    const file = fileIn(this.#options.overlay, id)
    if (existsSync(file))
      throw isThere(
        file,
        `See "unicli adapter diff ${id.site} ${id.command}", or begin anew after "adapter reset".`,
      )
    const text = readFileSync(from, 'utf8')
    this.#write(
      this.#options.overlay,
      file,
      text.includes('yaml-language-server') ? text : SCHEMA_LINE + text,
    )
    return { file, from }
  }

  /** Takes the person's own adapter away; it is kept as a backup. */
  reset(id: AdapterId): { file: string; backup: string; now: string | null } {
    const file = fileIn(this.#options.overlay, id)
    if (!existsSync(file)) throw noAdapter(id, this.#ids('own'), 'An adapter of your own for')
    const backup = this.#backup(file)
    return { file, backup, now: filesOf(this.#options, id).at(-1)?.file ?? null }
  }

  /** What the person's own adapter changes; empty when nothing. */
  diff(id: AdapterId): string {
    const packaged = this.#packaged(id)
    const own = filesOf(this.#options, id).findLast(({ layer }) => layer !== 'packaged')
    if (own === undefined) throw noAdapter(id, this.#ids('own'), 'An adapter of your own for')
    return patchOf(packaged, readFileSync(packaged, 'utf8'), own.file, readFileSync(own.file, 'utf8'))
  }

  /** Brings adapters of older formats up to date; writes only when told, and keeps a backup then. */
  migrate(paths: readonly string[], write: boolean): Migrated[] {
    const files = [...new Set((paths.length > 0 ? paths : this.#ownFolders()).flatMap(adapterFilesIn))]
    return files.flatMap(file => {
      const before = readFileSync(file, 'utf8')
      const { text, changes, open } = migrateAdapter(before, file, this.#options.steps)
      if (text === before) return []
      const diff = patchOf(file, before, file, text)
      if (write) {
        this.#backup(file)
        this.#write(dirname(dirname(file)), file, text)
      }
      return [{ file, changes, open, diff, written: write }]
    })
  }

  #packaged(id: AdapterId): string {
    const [first] = filesOf(this.#options, id)
    if (first?.layer === 'packaged') return first.file
    throw noAdapter(id, this.#ids('packaged'), 'A packaged adapter for')
  }

  #ids(layer: LayeredFile['layer']): string[] {
    return this.#options
      .operations()
      .filter(operation => filesOf(this.#options, operation).some(file => file.layer === layer))
      .map(({ id }) => id)
  }

  #ownFolders(): string[] {
    return [this.#options.overlay, ...this.#options.extra()].filter(folder => existsSync(folder))
  }

  /** Moves a file into a hidden folder beside the sites, where no loader looks. */
  #backup(file: string): string {
    const folder = dirname(dirname(file))
    const stamp = (this.#options.now?.() ?? new Date()).toISOString().replaceAll(/[:.]/g, '-')
    const backup = join(folder, '.backup', `${relative(folder, file).replace(/\.ya?ml$/i, '')}.${stamp}.yaml`)
    mkdirSync(dirname(backup), { recursive: true, mode: 0o700 })
    renameSync(file, backup)
    return backup
  }

  /** Whole, so that the watcher never reads a part; with the schema beside the sites, for editors. */
  #write(folder: string, file: string, text: string): void {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.part`, text, { mode: 0o600 })
    renameSync(`${file}.part`, file)
    if (existsSync(this.#options.schema))
      writeFileSync(join(folder, SCHEMA_FILE), readFileSync(this.#options.schema), { mode: 0o600 })
  }
}

const isThere = (file: string, hint: string): Failure =>
  new Failure('usage', { problem: `${file} is there already.`, hint })

const patchOf = (from: string, before: string, to: string, after: string): string =>
  before === after ? '' : createTwoFilesPatch(from, to, before, after, undefined, undefined, { context: 3 })
