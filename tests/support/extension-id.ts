import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The id that Chromium gives to an unpacked extension: taken from the manifest's `key` where there is one, else
 * from the folder's path.
 */
export function extensionIdOf(folder: string): string {
  const manifest: { key?: string } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const source =
    manifest.key === undefined ? Buffer.from(realpathSync(folder)) : Buffer.from(manifest.key, 'base64')
  const digest = createHash('sha256').update(source).digest('hex').slice(0, 32)
  return digest.replace(/./g, digit => String.fromCharCode('a'.charCodeAt(0) + Number.parseInt(digit, 16)))
}
