import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import {
  chmod,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  mkdtemp,
  open,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Failure } from '../../../shared/failures.ts'
import type { AccessCheck } from '../../ports/access.ts'
import type { FilesFactory, FoundFile, PartFile, RunFiles, WriteMode } from '../../ports/files.ts'
import { errno, fileFailure } from './errno.ts'
import { absoluteOf, type Grants, grantedPath, isInside } from './grants.ts'
import { NO_FOLLOW, openPart, sha256Of } from './part-file.ts'

/** A file that is older than this was not made for the run. */
const FRESH_MS = 600_000
/** Windows does not know it. */
const NO_BLOCK = constants.O_NONBLOCK ?? 0

export interface FilesOptions {
  /** The granted folders, best first, as the settings say now; may be empty. */
  granted: () => readonly string[]
  /** Always granted, made on first use; relative paths begin here when nothing else is granted. */
  own: string
}

export const createFilesFactory = (options: FilesOptions): FilesFactory => ({
  open: ({ access }) => new Files(options, access),
})

class Files implements RunFiles {
  readonly #options: FilesOptions
  readonly #access: AccessCheck
  #temp: Promise<string> | null = null

  constructor(options: FilesOptions, access: AccessCheck) {
    this.#options = options
    this.#access = access
  }

  async find(path: string): Promise<FoundFile> {
    const real = await this.#allowed('read_file', path)
    const found = await guarded(real, () => stat(real))
    if (!found.isFile()) throw new Failure('file_failed', { path: real, reason: 'it is not a file' })
    return { path: real, bytes: found.size }
  }

  async folder(path: string | null): Promise<string> {
    if (path === null) return this.#tempFolder()
    const real = await this.#allowed('read_file', path)
    const found = await guarded(real, () => stat(real))
    if (!found.isDirectory()) throw new Failure('file_failed', { path: real, reason: 'it is not a folder' })
    return real
  }

  async read(path: string, limit: number): Promise<Uint8Array> {
    const real = await this.#allowed('read_file', path)
    return withFile(real, constants.O_RDONLY, async handle => {
      const { size } = await handle.stat()
      if (size > limit)
        throw new Failure('file_failed', {
          path: real,
          reason: `its ${size} bytes are more than the limit of ${limit}`,
        })
      return await handle.readFile()
    })
  }

  async *pieces(path: string, bytes: number): AsyncGenerator<Uint8Array> {
    const real = await this.#allowed('read_file', path)
    for (let at = 0; ; ) {
      // Opened anew for each, so that none stays open with whoever stops asking; a swap is noticed by the caller's sum.
      const piece = await withFile(real, constants.O_RDONLY, async handle => {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(bytes), 0, bytes, at)
        return buffer.subarray(0, bytesRead)
      })
      if (piece.byteLength === 0) return
      at += piece.byteLength
      yield piece
    }
  }

  async adopt(from: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile> {
    const source = await guarded(from, () => realpath(from))
    await this.#access({ kind: 'read_file', path: source })
    await withFile(source, constants.O_RDONLY, async handle => {
      if (Date.now() - (await handle.stat()).ctimeMs > FRESH_MS)
        throw new Failure('file_failed', { path: source, reason: 'it was not made just now' })
    })
    return this.#copy(source, to, mode)
  }

  async sha256(path: string): Promise<string> {
    const real = await this.#allowed('read_file', path)
    return withFile(real, constants.O_RDONLY, handle => sha256Of(handle))
  }

  async write(path: string, content: Uint8Array, mode: WriteMode): Promise<FoundFile> {
    const real = await this.#allowed('write_file', path)
    await guarded(real, () => mkdir(dirname(real), { recursive: true }))
    if (mode === 'append') return append(real, content)
    const part = partOf(real)
    return guarded(real, async () => {
      try {
        await writeWhole(part, content, mode === 'create_private' ? 0o600 : 0o666)
        await settle(part, real, mode === 'replace' ? 'replace' : 'create')
      } finally {
        await rm(part, { force: true })
      }
      return { path: real, bytes: content.byteLength }
    })
  }

  async temp(name: string, content?: Uint8Array): Promise<string> {
    const plain = basename(name.replaceAll('\\', '/'))
    if (plain === '' || plain === '.' || plain === '..' || plain !== name || name.includes('\0'))
      throw new Failure('file_failed', { path: name, reason: 'a name without folders is needed' })
    // Of two files of one name each keeps its own.
    const path = join(await mkdtemp(join(await this.#tempFolder(), 'f-')), plain)
    if (content !== undefined) await guarded(path, () => writeWhole(path, content))
    return path
  }

  async part(folder: string, key: string): Promise<PartFile> {
    const name = `.unicli-${key}.part`
    const path = await this.#allowed('write_file', folder === '' ? name : `${folder}/${name}`)
    await guarded(path, () => mkdir(dirname(path), { recursive: true }))
    return openPart(path, async (to, mode) => {
      const real = await this.#allowed('write_file', to)
      return guarded(real, async () => {
        await settle(path, real, mode)
        return { path: real, bytes: (await stat(real)).size }
      })
    })
  }

  async place(from: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile> {
    const own = { folders: [await this.#tempFolder()], shown: [], base: await this.#tempFolder() }
    return this.#copy(await grantedPath(from, own), to, mode)
  }

  async #copy(source: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile> {
    const real = await this.#allowed('write_file', to)
    const part = partOf(real)
    return guarded(real, async () => {
      await mkdir(dirname(real), { recursive: true })
      try {
        // The temp folder is often on another disk, over which nothing can be renamed.
        await copyFile(source, part, constants.COPYFILE_EXCL)
        await settle(part, real, mode)
      } finally {
        await rm(part, { force: true })
      }
      return { path: real, bytes: (await stat(real)).size }
    })
  }

  async close(): Promise<void> {
    if (this.#temp !== null) await rm(await this.#temp, { recursive: true, force: true })
  }

  async #allowed(kind: 'read_file' | 'write_file', path: string): Promise<string> {
    const grants = await this.#grants()
    const real = await grantedPath(path, grants)
    // The run's own folder is nobody else's to judge.
    if (this.#temp === null || !isInside(await this.#temp, real)) await this.#access({ kind, path: real })
    return real
  }

  async #grants(): Promise<Grants> {
    const { own, granted } = this.#options
    await guarded(own, () => mkdir(own, { recursive: true, mode: 0o700 }))
    const shown = [...granted().map(folder => absoluteOf(folder, own)), own]
    const temp = this.#temp === null ? [] : [await this.#temp]
    return { folders: [...shown, ...temp], shown, base: shown[0] ?? own }
  }

  /** Its own for each run, readable by this user alone. */
  #tempFolder(): Promise<string> {
    this.#temp ??= guarded(tmpdir(), async () => mkdtemp(join(await realpath(tmpdir()), 'unicli-run-')))
    return this.#temp
  }
}

const partOf = (path: string): string =>
  join(dirname(path), `.${basename(path).slice(0, 100)}.${randomUUID().slice(0, 8)}.part`)

async function writeWhole(path: string, content: Uint8Array, mode = 0o666): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives a finished file its name at once. A link that came there meanwhile is replaced, never followed. */
async function settle(part: string, path: string, mode: 'create' | 'replace'): Promise<void> {
  if ((await realpath(dirname(path))) !== dirname(path))
    throw new Failure('file_failed', { path, reason: 'its folder was swapped for a link meanwhile' })
  if (mode === 'replace') {
    const before = await stat(path).catch(() => null)
    if (before !== null) await chmod(part, before.mode)
    return rename(part, path)
  }
  try {
    await link(part, path)
  } catch (error) {
    // Some disks have no hard links; there the file is written in place, still only when nothing is there.
    if (errno(error) === 'EEXIST') throw error
    await copyFile(part, path, constants.COPYFILE_EXCL)
  }
}

const append = (path: string, content: Uint8Array): Promise<FoundFile> =>
  withFile(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, async handle => {
    const { nlink } = await handle.stat()
    // A second name of the file may lie outside of the grant.
    if (nlink > 1) throw new Failure('file_failed', { path, reason: 'it has a second name (hard link)' })
    await handle.appendFile(content)
    return { path, bytes: (await handle.stat()).size }
  })

/** Opens what `path` names itself and makes sure that no part of it was swapped for a link since it was judged. */
async function withFile<T>(path: string, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  return guarded(path, async () => {
    const handle = await open(path, flags | NO_FOLLOW | NO_BLOCK)
    try {
      const [opened, named] = [await handle.stat(), await stat(path)]
      if ((await realpath(path)) !== path || opened.ino !== named.ino || opened.dev !== named.dev)
        throw new Failure('file_failed', { path, reason: 'it was swapped for another one meanwhile' })
      if (!opened.isFile()) throw new Failure('file_failed', { path, reason: 'it is not a file' })
      return await use(handle)
    } finally {
      await handle.close()
    }
  })
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileFailure(path, error)
  }
}
