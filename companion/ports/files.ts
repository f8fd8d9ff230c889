import type { AccessCheck } from './access.ts'

/** `create` fails when something is there, and so does `create_private`, whose file is for its owner alone; `replace`
 *  swaps the whole file at once, `append` adds to its end. */
export type WriteMode = 'create' | 'create_private' | 'replace' | 'append'

export interface FoundFile {
  /** Absolute, with links resolved. */
  path: string
  bytes: number
}

/**
 * Files inside granted folders and the run's own temp folder. A path is absolute, begins with `~/`, or is relative to
 * the first granted folder; a link that leads out of the grant is not followed. Fails with path_not_granted,
 * not_found, already_exists, file_failed, and as AccessCheck does.
 */
export interface FilesPort {
  /** A file that another program shall read. */
  find(path: string): Promise<FoundFile>
  /** A folder that another program shall work in; null is the run's temp folder. */
  folder(path: string | null): Promise<string>
  /** @param limit bytes; a larger file fails */
  read(path: string, limit: number): Promise<Uint8Array>
  /** A file of any size, piece by piece, each of so many bytes at most. */
  pieces(path: string, bytes: number): AsyncIterable<Uint8Array>
  /** Copies a file that another program has just made for this run, wherever that is, to its place. */
  adopt(from: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile>
  /** Of a file of any size, as hex. */
  sha256(path: string): Promise<string>
  write(path: string, content: Uint8Array, mode: WriteMode): Promise<FoundFile>
  /** The absolute path of a new file in the run's temp folder, which is removed at the end of the run; without
   *  content the file is another program's to make. */
  temp(name: string, content?: Uint8Array): Promise<string>
  /** Opens the part of that key in a folder, which is made when it is not there. One run at a time may have it.
   *  @param key of [0-9a-f] */
  part(folder: string, key: string): Promise<PartFile>
  /** Moves a file that the run has made in its temp folder to its place. */
  place(from: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile>
}

/**
 * A file that grows until it is whole. It lies hidden in the folder of what it will be, and stays there when the run
 * ends before that, for a later run to go on with. Fails as the port does.
 */
export interface PartFile {
  /** How many are there. */
  readonly bytes: number
  /** What `begin` noted, so that a later run knows what this is a part of; null when it is new. */
  note(): Promise<string | null>
  /** Empties it. */
  begin(note: string): Promise<void>
  append(chunk: Uint8Array): Promise<void>
  /** Of all that is there. */
  sha256(): Promise<string>
  /** Gives it its name; then there is no part any more. */
  finish(to: string, mode: 'create' | 'replace'): Promise<FoundFile>
  /** Throws it away. */
  drop(): Promise<void>
  /** Leaves it for a later run. */
  close(): Promise<void>
}

export interface RunFiles extends FilesPort {
  /** Removes the temp folder. */
  close(): Promise<void>
}

export interface FilesFactory {
  open(options: { access: AccessCheck }): RunFiles
}
