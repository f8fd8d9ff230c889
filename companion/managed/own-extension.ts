import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  permissions: string[]
  optional_permissions?: string[]
}

/**
 * A copy of the built extension for a browser of our own, which has no person who could be asked for what is optional.
 *
 * @param profile the browser's folder, in which the copy lies
 * @returns the folder of the copy
 */
export function ownExtension(built: string, profile: string): string {
  const folder = join(profile, 'unicli-extension')
  rmSync(folder, { recursive: true, force: true })
  cpSync(built, folder, { recursive: true })
  const file = join(folder, 'manifest.json')
  const { optional_permissions = [], ...manifest } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  const permissions = [...manifest.permissions, ...optional_permissions]
  writeFileSync(file, JSON.stringify({ ...manifest, permissions }))
  return folder
}
