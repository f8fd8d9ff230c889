import { existsSync, mkdirSync } from 'node:fs'
import type { AdapterFault, Catalogue, Operation } from '../kernel/operation.ts'
import type { AnyStep } from '../kernel/step.ts'
import type { LogPort } from '../ports/log.ts'
import { FolderWatcher } from './folder-watcher.ts'
import { type AdapterReader, createAdapterReader, type LoadedFolder } from './load.ts'
import { nearestIds, SearchIndex } from './search.ts'
import { stepOperations } from './step-operations.ts'
import { createYamlReader, type YamlReader } from './yaml-cache.ts'

export interface LibraryOptions {
  /** Step names and aliases. */
  steps: ReadonlyMap<string, AnyStep>
  /** Operations that are code of ours; no adapter can take their sites. */
  builtins?: readonly Operation[]
  /** The adapters that come with the product; absolute. Read once. */
  packaged: string
  /** The person's own; absolute. They win over packaged ones of the same name. Made when watching begins. */
  overlay: string
  /** Further folders, absolute, the later the stronger, all stronger than the overlay. Asked at every look. */
  extra?: () => readonly string[]
  /** Where parsed adapters are kept from one start to the next; absolute. Null keeps nothing. */
  cache?: string | null
  log: LogPort
  /** Something was added, mended or broken. */
  onChange?: () => void
}

export interface Library extends Catalogue {
  /** The same with folders on top that count for one caller; absolute, the later the stronger. */
  under(folders: readonly string[]): Catalogue
  /** Reads the person's folders again at once; true when anything changed. */
  reload(): boolean
  /** Reloads whenever a file in one of the person's folders changes, until closed. */
  watch(): void
  close(): void
}

interface Contents {
  byId: ReadonlyMap<string, Operation>
  list: readonly Operation[]
  /** Made when somebody searches. */
  index: () => SearchIndex
  faults: readonly AdapterFault[]
  /** What it was laid over, for a view. */
  below?: Contents
}

/** The catalogue over adapter folders and the steps that are operations of their own. */
export const openLibrary = (options: LibraryOptions): Library => new Folders(options)

const NO_FOLDERS: readonly string[] = []

class Folders implements Library {
  readonly #log: LogPort
  readonly #onChange: () => void
  readonly #overlay: string
  readonly #extra: () => readonly string[]
  readonly #yaml: YamlReader
  readonly #reader: AdapterReader
  readonly #own: readonly Operation[]
  readonly #shipped: LoadedFolder
  readonly #watcher: FolderWatcher
  #isWatching = false
  #folders: readonly string[] = []
  #personal: readonly LoadedFolder[] = []
  /** Folders of the setting that are not there yet. */
  #missing: readonly string[] = []
  #contents: Contents
  #view: { folders: readonly string[]; layers: readonly LoadedFolder[]; contents: Contents } | null = null

  constructor(options: LibraryOptions) {
    const { steps, builtins = [], packaged, overlay, extra, cache = null, log, onChange } = options
    this.#log = log
    this.#onChange = onChange ?? (() => undefined)
    this.#overlay = overlay
    this.#extra = extra ?? (() => NO_FOLDERS)
    this.#yaml = createYamlReader(cache, log)
    this.#reader = createAdapterReader(steps, this.#yaml)
    this.#own = [...builtins, ...stepOperations(steps)]
    this.#shipped = this.#reader.read(packaged)
    this.#readPersonal()
    this.#contents = this.#contentsUnder([])
    for (const fault of this.#contents.faults) log.warn('an adapter cannot be used', { ...fault })
    this.#watcher = new FolderWatcher(() => {
      this.reload()
      return this.#toWatch()
    }, log)
  }

  get = (id: string): Operation | null => this.#current().byId.get(id) ?? null
  list = (): readonly Operation[] => this.#current().list
  search = (query: string, limit: number) => this.#current().index().search(query, limit)
  nearest = (name: string): readonly string[] => nearestIds(name, [...this.#current().byId.keys()])
  faults = (): readonly AdapterFault[] => this.#current().faults

  under(folders: readonly string[]): Catalogue {
    const base = this.#current()
    const layers = folders.map(folder => this.#reader.read(folder))
    const before = this.#view
    const isKnown =
      before !== null &&
      same(before.folders, folders) &&
      before.contents.below === base &&
      before.layers.every((layer, at) => sameFolder(layer, layers[at]))
    const contents = isKnown ? before.contents : { ...this.#contentsUnder(layers), below: base }
    this.#view = { folders, layers, contents }
    return catalogueOf(contents)
  }

  reload(): boolean {
    const before = this.#personal
    this.#readPersonal()
    if (
      before.length === this.#personal.length &&
      before.every((each, at) => sameFolder(each, this.#personal[at]))
    )
      return false
    const contents = this.#contents
    this.#contents = this.#contentsUnder([])
    tellDifference(contents, this.#contents, this.#log)
    this.#onChange()
    return true
  }

  watch(): void {
    this.#isWatching = true
    this.#watcher.start(this.#toWatch())
  }

  close(): void {
    this.#isWatching = false
    this.#watcher.close()
  }

  /** Which folders there are is a setting, and may have changed since the last look. */
  #current(): Contents {
    const isStale = !same(this.#folders, this.#extra()) || this.#missing.some(folder => existsSync(folder))
    if (isStale) {
      this.reload()
      if (this.#isWatching) this.#watcher.start(this.#toWatch())
    }
    return this.#contents
  }

  #readPersonal(): void {
    this.#folders = [...this.#extra()]
    this.#missing = this.#folders.filter(folder => !existsSync(folder))
    this.#personal = [this.#overlay, ...this.#folders].map(folder =>
      this.#missing.includes(folder) ? missingFolder(folder) : this.#reader.read(folder),
    )
    this.#yaml.save()
  }

  #contentsUnder(layers: readonly LoadedFolder[]): Contents {
    return contentsOf(this.#own, [this.#shipped, ...this.#personal, ...layers])
  }

  #toWatch(): string[] {
    // Whoever deletes the folder and makes it again shall not have to restart the companion.
    mkdirSync(this.#overlay, { recursive: true, mode: 0o700 })
    const extra = this.#folders.filter(folder => !this.#missing.includes(folder))
    return [this.#overlay, ...extra, ...this.#personal.flatMap(({ siteFolders }) => siteFolders)]
  }
}

const missingFolder = (folder: string): LoadedFolder => ({
  operations: [],
  siteFolders: [],
  faults: [{ file: folder, line: null, reason: 'adapters are looked for in it, but it is not there' }],
})

const catalogueOf = (contents: Contents): Catalogue => ({
  get: id => contents.byId.get(id) ?? null,
  list: () => contents.list,
  search: (query, limit) => contents.index().search(query, limit),
  nearest: name => nearestIds(name, [...contents.byId.keys()]),
  faults: () => contents.faults,
})

/** @param layers from the weakest to the strongest */
function contentsOf(own: readonly Operation[], layers: readonly LoadedFolder[]): Contents {
  const reserved = new Set(own.map(operation => operation.site))
  const isFree = (operation: Operation): boolean => !reserved.has(operation.site)
  const adapters = layers.flatMap(({ operations }) => operations)
  const taken = adapters.filter(operation => !isFree(operation)).map(takenFault)
  const byId = new Map([...own, ...adapters.filter(isFree)].map(operation => [operation.id, operation]))
  const list = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const faults = [...layers.flatMap(layer => layer.faults), ...taken]
  let index: SearchIndex | null = null
  return {
    byId,
    list,
    faults,
    index: () => {
      index ??= new SearchIndex(list)
      return index
    },
  }
}

const takenFault = (operation: Operation): AdapterFault => ({
  file: operation.adapterPath ?? operation.id,
  line: null,
  reason: `the site name "${operation.site}" belongs to unicli's own operations`,
})

const same = <T>(x: readonly T[], y: readonly T[]): boolean =>
  x.length === y.length && x.every((each, at) => each === y[at])

/** The reader hands out the same objects while files stay as they are. */
const sameFolder = (a: LoadedFolder, b: LoadedFolder | undefined): boolean =>
  b !== undefined &&
  same(a.operations, b.operations) &&
  same(a.siteFolders, b.siteFolders) &&
  same(a.faults.map(textOf), b.faults.map(textOf))

const textOf = (fault: AdapterFault): string => `${fault.file}:${fault.line}: ${fault.reason}`

function tellDifference(before: Contents, after: Contents, log: LogPort): void {
  const known = new Set(before.faults.map(textOf))
  for (const fault of after.faults)
    if (!known.has(textOf(fault))) log.warn('an adapter cannot be used', { ...fault })
  log.info('adapters changed', { operations: after.list.length, faults: after.faults.length })
}
