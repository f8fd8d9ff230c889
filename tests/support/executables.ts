import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The absolute path of the first of these programs that PATH knows. */
export function findExecutable(...names: string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
