import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A native messaging host as Chromium (`allowed_origins`) or Firefox (`allowed_extensions`) is told about it. */
export interface NativeHostManifest {
  name: string
  description: string
  /** Absolute path of the executable. */
  path: string
  type: 'stdio'
  allowed_origins?: readonly string[]
  allowed_extensions?: readonly string[]
}

/** Writes the manifest into a browser's folder of hosts, which is made when missing. */
export async function writeNativeHostManifest(folder: string, manifest: NativeHostManifest): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${manifest.name}.json`), JSON.stringify(manifest, null, 2))
}
