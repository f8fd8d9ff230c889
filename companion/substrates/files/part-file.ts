import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises'
import { Failure } from '../../../shared/failures.ts'
import type { FoundFile, PartFile } from '../../ports/files.ts'
import { errno, fileFailure } from './errno.ts'

/** Windows does not know it; there a link needs rights that programs rarely have. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0
/** The note's name can be told beforehand: a link that waits there may lead out of the grant. */
const READ_NOTE = constants.O_RDONLY | NO_FOLLOW
const WRITE_NOTE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW
/** Parts that are being written: two runs that get the same thing must not write into each other's. */
const busy = new Set<string>()

/**
 * Opens the part at a path that may be written, or begins it.
 *
 * @param name gives a whole part its name
 */
export async function openPart(
  path: string,
  name: (to: string, mode: 'create' | 'replace') => Promise<FoundFile>,
): Promise<PartFile> {
  if (busy.has(path)) throw new Failure('file_failed', { path, reason: 'another run is writing it' })
  busy.add(path)
  try {
    const handle = await open(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW,
      0o600,
    )
    const { size, nlink } = await handle.stat()
    const part = new Part({ path, handle, bytes: size, name })
    // A second name of the file may lie outside of the grant.
    if (nlink > 1) throw new Failure('file_failed', { path, reason: 'it has a second name (hard link)' })
    return part
  } catch (error) {
    busy.delete(path)
    throw fileFailure(path, error)
  }
}

interface Parts {
  path: string
  handle: FileHandle
  bytes: number
  name: (to: string, mode: 'create' | 'replace') => Promise<FoundFile>
}

/** Of a file from its beginning to its end. */
export async function sha256Of(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false }))
    hash.update(chunk as Buffer)
  return hash.digest('hex')
}

class Part implements PartFile {
  readonly #parts: Parts
  #isOpen = true

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get bytes(): number {
    return this.#parts.bytes
  }

  async note(): Promise<string | null> {
    try {
      return await readFile(this.#notePath, { encoding: 'utf8', flag: READ_NOTE })
    } catch (error) {
      if (errno(error) === 'ENOENT') return null
      throw fileFailure(this.#notePath, error)
    }
  }

  begin = (note: string): Promise<void> =>
    this.#guarded(async () => {
      await this.#parts.handle.truncate(0)
      this.#parts.bytes = 0
      await writeFile(this.#notePath, note, { mode: 0o600, flag: WRITE_NOTE })
    })

  append = (chunk: Uint8Array): Promise<void> =>
    this.#guarded(async () => {
      await this.#parts.handle.appendFile(chunk)
      this.#parts.bytes += chunk.byteLength
    })

  sha256 = (): Promise<string> => this.#guarded(() => sha256Of(this.#parts.handle))

  async finish(to: string, mode: 'create' | 'replace'): Promise<FoundFile> {
    await this.#guarded(() => this.#parts.handle.sync())
    const found = await this.#parts.name(to, mode)
    await this.drop()
    return found
  }

  async drop(): Promise<void> {
    await this.close()
    await this.#guarded(async () => {
      await rm(this.#parts.path, { force: true })
      await rm(this.#notePath, { force: true })
    })
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#parts.handle.close()
    busy.delete(this.#parts.path)
  }

  get #notePath(): string {
    return `${this.#parts.path}.note`
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw fileFailure(this.#parts.path, error)
    }
  }
}
