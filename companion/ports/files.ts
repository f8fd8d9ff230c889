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
  write(path: string, content: Uint8Array, mode: WriteMode): Promise<FoundFile>
  /** The absolute path of a new file in the run's temp folder, which is removed at the end of the run; without
   *  content the file is another program's to make. */
  temp(name: string, content?: Uint8Array): Promise<string>
  /** Moves a file that the run has made in its temp folder to its place. */
  place(from: string, to: string, mode: 'create' | 'replace'): Promise<FoundFile>
}

export interface RunFiles extends FilesPort {
  /** Removes the temp folder. */
  close(): Promise<void>
}

export interface FilesFactory {
  open(options: { access: AccessCheck }): RunFiles
}
