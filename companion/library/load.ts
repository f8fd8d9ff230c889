import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import type { AdapterFault, Operation } from '../kernel/operation.ts'
import type { AnyStep } from '../kernel/step.ts'
import { AdapterProblem, readAdapter } from './adapter.ts'
import { NAME } from './adapter-schema.ts'
import type { YamlReader } from './yaml-cache.ts'
import { YamlFault } from './yaml-source.ts'

export const MAX_ADAPTER_BYTES = 256 * 1024
const ENDING = '.yaml'

export interface LoadedFolder {
  operations: readonly Operation[]
  faults: readonly AdapterFault[]
  /** Folders that hold adapters, absolute: what has to be watched for changes. */
  siteFolders: readonly string[]
}

/** Reads adapter folders; a file that has not changed since the last reading is not read again. */
export interface AdapterReader {
  /** A folder that is not there holds nothing. A bad file is a fault, and all others are read. */
  read(folder: string): LoadedFolder
}

/** What reading one file takes. */
export interface ReadTools {
  steps: ReadonlyMap<string, AnyStep>
  yaml: YamlReader
}

export type Outcome = { operation: Operation } | { fault: AdapterFault }

export function createAdapterReader(steps: ReadonlyMap<string, AnyStep>, yaml: YamlReader): AdapterReader {
  const known = new Map<string, { stamp: string; outcome: Outcome }>()
  const readFile = (folder: string, site: string, name: string): Outcome => {
    const file = join(folder, site, name)
    try {
      const stamp = stampOf(folder, file)
      const before = known.get(file)
      if (before?.stamp === stamp) return before.outcome
      const outcome = readAdapterFile(file, site, name, { steps, yaml })
      known.set(file, { stamp, outcome })
      return outcome
    } catch (error) {
      return { fault: faultOf(file, error) }
    }
  }
  return { read: folder => readFolder(folder, readFile) }
}

function readFolder(
  folder: string,
  readFile: (folder: string, site: string, name: string) => Outcome,
): LoadedFolder {
  const operations: Operation[] = []
  const faults: AdapterFault[] = []
  const siteFolders: string[] = []
  for (const entry of entriesOf(folder, faults)) {
    const path = join(folder, entry.name)
    if (!isFolder(entry, path)) {
      if (isYaml(entry.name))
        faults.push({ file: path, line: null, reason: 'an adapter lies in a folder named after its site' })
      continue
    }
    siteFolders.push(path)
    for (const file of entriesOf(path, faults).filter(inner => isYaml(inner.name))) {
      const outcome = readFile(folder, entry.name, file.name)
      if ('fault' in outcome) faults.push(outcome.fault)
      else operations.push(outcome.operation)
    }
  }
  return { operations, faults, siteFolders }
}

function entriesOf(folder: string, faults: AdapterFault[]): Dirent[] {
  try {
    return (
      readdirSync(folder, { withFileTypes: true })
        // What begins so is about the site, such as _service.yaml, or nobody's.
        .filter(entry => !/^[._]/.test(entry.name))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    )
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!gone) faults.push(faultOf(folder, error))
    return []
  }
}

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name)
const isFolder = (entry: Dirent, path: string): boolean =>
  entry.isDirectory() ||
  (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)

/** Changes whenever the file does. A link may not lead out of its folder: adapters are read as one's own. */
function stampOf(folder: string, file: string): string {
  const inside = relative(realpathSync(folder), realpathSync(file))
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    throw new AdapterProblem(1, 'it is a link to a file outside of the adapters folder')
  const { ino, mtimeNs, size } = statSync(file, { bigint: true })
  if (size > MAX_ADAPTER_BYTES) throw new AdapterProblem(1, `it is larger than ${MAX_ADAPTER_BYTES} bytes`)
  return `${ino}:${mtimeNs}:${size}`
}

/** What is in one file: an operation, or why it is none. */
export function readAdapterFile(file: string, site: string, name: string, tools: ReadTools): Outcome {
  const command = name.slice(0, -ENDING.length)
  try {
    if (!statSync(file).isFile()) throw new AdapterProblem(1, 'it is not a file')
    if (!name.endsWith(ENDING)) throw new AdapterProblem(1, `its name must end in ${ENDING}`)
    for (const part of [site, command])
      if (!NAME.test(part)) throw new AdapterProblem(1, `"${part}" must match [a-z0-9][a-z0-9_-]*`)
    const source = tools.yaml.read(file, readFileSync(file, 'utf8'))
    return { operation: readAdapter(source, { file, site, command }, tools.steps) }
  } catch (error) {
    return { fault: faultOf(file, error) }
  }
}

/** Whatever goes wrong with one file is said of that file and of no other. */
function faultOf(file: string, error: unknown): AdapterFault {
  const line = error instanceof AdapterProblem || error instanceof YamlFault ? error.line : null
  return { file, line, reason: error instanceof Error ? error.message : String(error) }
}
