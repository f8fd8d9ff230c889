import { mkdirSync } from 'node:fs'
import type { AdapterFault, Catalogue, Operation } from '../kernel/operation.ts'
import type { AnyStep } from '../kernel/step.ts'
import type { LogPort } from '../ports/log.ts'
import { FolderWatcher } from './folder-watcher.ts'
import { createAdapterReader, type LoadedFolder } from './load.ts'
import { nearestIds, SearchIndex } from './search.ts'
import { stepOperations } from './step-operations.ts'
import { createYamlReader } from './yaml-cache.ts'

export interface LibraryOptions {
  /** Step names and aliases. */
  steps: ReadonlyMap<string, AnyStep>
  /** Operations that are code of ours; no adapter can take their sites. */
  builtins?: readonly Operation[]
  /** The adapters that come with the product; absolute. Read once. */
  packaged: string
  /** The person's own; absolute. They win over packaged ones of the same name. Made when watching begins. */
  overlay: string
  /** Where parsed adapters are kept from one start to the next; absolute. Null keeps nothing. */
  cache?: string | null
  log: LogPort
  /** Something was added, mended or broken. */
  onChange?: () => void
}

export interface Library extends Catalogue {
  /** Reads the overlay again at once; true when anything changed. */
  reload(): boolean
  /** Reloads whenever a file of the overlay changes, until closed. */
  watch(): void
  close(): void
}

interface Contents {
  byId: ReadonlyMap<string, Operation>
  list: readonly Operation[]
  index: SearchIndex
  faults: readonly AdapterFault[]
}

/** The catalogue over adapter folders and the steps that are operations of their own. */
export function openLibrary(options: LibraryOptions): Library {
  const { steps, builtins = [], packaged, overlay, cache = null, log, onChange = () => undefined } = options
  const yaml = createYamlReader(cache, log)
  const reader = createAdapterReader(steps, yaml)
  const own = [...builtins, ...stepOperations(steps)]
  const shipped = reader.read(packaged)
  let personal = reader.read(overlay)
  yaml.save()
  let contents = contentsOf(own, shipped, personal)
  for (const fault of contents.faults) log.warn('an adapter cannot be used', { ...fault })

  const reload = (): boolean => {
    const next = reader.read(overlay)
    yaml.save()
    const changed = !sameFolder(personal, next)
    personal = next
    if (!changed) return false
    const before = contents
    contents = contentsOf(own, shipped, personal)
    tellDifference(before, contents, log)
    onChange()
    return true
  }
  const folders = (): string[] => {
    // Whoever deletes the folder and makes it again shall not have to restart the companion.
    mkdirSync(overlay, { recursive: true, mode: 0o700 })
    return [overlay, ...personal.siteFolders]
  }
  const watcher = new FolderWatcher(() => {
    reload()
    return folders()
  }, log)
  return {
    get: id => contents.byId.get(id) ?? null,
    list: () => contents.list,
    search: (query, limit) => contents.index.search(query, limit),
    nearest: name => nearestIds(name, [...contents.byId.keys()]),
    faults: () => contents.faults,
    reload,
    watch: () => watcher.start(folders()),
    close: () => watcher.close(),
  }
}

function contentsOf(own: readonly Operation[], shipped: LoadedFolder, personal: LoadedFolder): Contents {
  const reserved = new Set(own.map(operation => operation.site))
  const isFree = (operation: Operation): boolean => !reserved.has(operation.site)
  const adapters = [...shipped.operations, ...personal.operations]
  const taken = adapters.filter(operation => !isFree(operation)).map(takenFault)
  const byId = new Map([...own, ...adapters.filter(isFree)].map(operation => [operation.id, operation]))
  const list = [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const faults = [...shipped.faults, ...personal.faults, ...taken]
  return { byId, list, index: new SearchIndex(list), faults }
}

const takenFault = (operation: Operation): AdapterFault => ({
  file: operation.adapterPath ?? operation.id,
  line: null,
  reason: `the site name "${operation.site}" belongs to unicli's own operations`,
})

/** The reader hands out the same objects while files stay as they are. */
function sameFolder(a: LoadedFolder, b: LoadedFolder): boolean {
  const same = <T>(x: readonly T[], y: readonly T[]): boolean =>
    x.length === y.length && x.every((v, i) => v === y[i])
  return (
    same(a.operations, b.operations) &&
    same(a.siteFolders, b.siteFolders) &&
    same(a.faults.map(textOf), b.faults.map(textOf))
  )
}

const textOf = (fault: AdapterFault): string => `${fault.file}:${fault.line}: ${fault.reason}`

function tellDifference(before: Contents, after: Contents, log: LogPort): void {
  const known = new Set(before.faults.map(textOf))
  for (const fault of after.faults)
    if (!known.has(textOf(fault))) log.warn('an adapter cannot be used', { ...fault })
  log.info('adapters changed', { operations: after.list.length, faults: after.faults.length })
}
