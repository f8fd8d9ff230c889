import { Failure } from '../../../shared/failures.ts'

export const errno = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'its permissions do not let unicli',
  EPERM: 'its permissions do not let unicli',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EROFS: 'it is on a read-only disk',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  ELOOP: 'it is a link',
  ENAMETOOLONG: 'its name is too long',
}

/** What the disk said, as a failure of the table. */
export function fileFailure(path: string, error: unknown): Failure {
  if (Failure.is(error)) return error
  const code = errno(error)
  if (code === 'ENOENT')
    return new Failure('not_found', { what: `The file ${path}`, hint: 'Check the path.' }, { cause: error })
  if (code === 'EEXIST')
    return new Failure('already_exists', {
      what: path,
      hint: 'Use mode replace or append, or another name.',
    })
  const reason = REASONS[code] ?? (error instanceof Error ? error.message : String(error))
  return new Failure('file_failed', { path, reason }, { cause: error })
}
