import type { Entry, ZipFile } from 'yauzl'
import { Failure } from '../../shared/failures.ts'
import { parseFailure } from './fields.ts'

/** A file in an archive; folders come from the names of their files. */
export interface ZipEntry {
  /** Relative, with forward slashes; leads nowhere above. */
  name: string
  bytes: number
  /** ISO time, in the time zone of whoever packed it. */
  modified: string
  raw: Entry
}

export interface Zip {
  entries: readonly ZipEntry[]
  read(entry: ZipEntry): Promise<Uint8Array>
}

export interface ZipLimits {
  encoding: string
  max_files: number
  max_mb: number
}

const UTF8_NAME = 0x800
const ENCRYPTED = 0x1
const FILE_TYPE = 0o170000
const LINK = 0o120000

/**
 * Reads the table of contents. Fails with parse_failed for what is no archive, leads out of its folder, or would
 * become larger than the limits; the sizes that the table claims are held against what comes out.
 */
export async function openZip(bytes: Uint8Array, limits: ZipLimits): Promise<Zip> {
  const { fromBuffer, validateFileName } = await import('yauzl')
  const zip = await new Promise<ZipFile>((resolve, reject) =>
    fromBuffer(
      Buffer.from(bytes),
      { lazyEntries: true, decodeStrings: false, autoClose: false },
      (error, file) => (error ? reject(refused(error)) : resolve(file)),
    ),
  )
  if (zip.entryCount > limits.max_files) throw refused(`it holds more than ${limits.max_files} files`)
  const entries: ZipEntry[] = []
  let total = 0
  for (const raw of await rawEntries(zip)) {
    const name = nameOf(raw, limits.encoding)
    if (name.endsWith('/')) continue
    const problem = validateFileName(name)
    if (problem !== null) throw refused(problem)
    if (((raw.externalFileAttributes >>> 16) & FILE_TYPE) === LINK) throw refused(`"${name}" is a link`)
    total += raw.uncompressedSize
    if (total > limits.max_mb * 1024 * 1024)
      throw refused(`more than ${limits.max_mb} MB would come out of it`)
    entries.push({ name, bytes: raw.uncompressedSize, modified: raw.getLastModDate().toISOString(), raw })
  }
  return { entries, read: entry => contentOf(zip, entry) }
}

const refused = (reason: unknown): Failure =>
  parseFailure('The ZIP archive', reason instanceof Error ? reason : new Error(String(reason)))

function rawEntries(zip: ZipFile): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', error => reject(refused(error)))
    zip.readEntry()
  })
}

/** By the archive's own word, else UTF-8 when it is that, else as the caller says. */
function nameOf({ fileName, generalPurposeBitFlag }: Entry, encoding: string): string {
  const raw = fileName as unknown as Uint8Array
  const decode = (label: string, fatal: boolean) => new TextDecoder(label, { fatal }).decode(raw)
  try {
    return slashes(decode('utf-8', (generalPurposeBitFlag & UTF8_NAME) === 0))
  } catch {
    // Not UTF-8: older programs write names in the encoding of their own system.
    return slashes(decode(encoding, false))
  }
}
const slashes = (name: string): string => name.replaceAll('\\', '/')

function contentOf(zip: ZipFile, { name, raw }: ZipEntry): Promise<Uint8Array> {
  if ((raw.generalPurposeBitFlag & ENCRYPTED) !== 0)
    throw new Failure('unsupported', {
      what: `Reading "${name}", which is locked by a password,`,
      where: 'this step',
      hint: 'Unpack it with a program that asks for the password.',
    })
  return new Promise((resolve, reject) =>
    zip.openReadStream(raw, (error, stream) => {
      if (error) return reject(refused(error))
      const chunks: Uint8Array[] = []
      stream.on('data', (chunk: Uint8Array) => chunks.push(chunk))
      stream.on('end', () => resolve(Buffer.concat(chunks)))
      stream.on('error', (cause: Error) => reject(refused(cause)))
    }),
  )
}
