import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { makeTempDir } from '../temp.ts'

/** The native host as it is shipped, with a companion beside it that has nothing but the socket and the browsers. */
export interface LinkPrograms {
  host: string
  companion: string
  remove(): Promise<void>
}

export const PROGRAMS_VERSION = '9.9.9'

export async function buildLinkPrograms(): Promise<LinkPrograms> {
  const dir = await makeTempDir()
  await writeFile(join(dir.path, 'package.json'), '{"type":"module"}')
  await build({
    absWorkingDir: join(import.meta.dirname, '../../..'),
    entryPoints: { host: 'companion/bin/host.ts', companion: 'tests/support/link/bare-companion.ts' },
    outdir: dir.path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { __VERSION__: JSON.stringify(PROGRAMS_VERSION) },
    logLevel: 'warning',
  })
  return { host: join(dir.path, 'host.js'), companion: join(dir.path, 'companion.js'), remove: dir.remove }
}
