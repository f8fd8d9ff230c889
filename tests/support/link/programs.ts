import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { makeTempDir } from '../temp.ts'

/** Native host and CLI as they are shipped, beside a companion that has nothing but the socket and the browsers. */
export interface LinkPrograms {
  host: string
  companion: string
  unicli: string
  remove(): Promise<void>
}

/** CommonJS packages inside an ES module call require() for Node's own modules. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as require_ } from 'node:module'\nglobalThis.require ??= require_(import.meta.url)"

export const PROGRAMS_VERSION = '9.9.9'

export async function buildLinkPrograms(): Promise<LinkPrograms> {
  const dir = await makeTempDir()
  await writeFile(join(dir.path, 'package.json'), '{"type":"module"}')
  await build({
    absWorkingDir: join(import.meta.dirname, '../../..'),
    entryPoints: {
      host: 'companion/bin/host.ts',
      companion: 'tests/support/link/bare-companion.ts',
      unicli: 'companion/bin/unicli.ts',
    },
    outdir: dir.path,
    bundle: true,
    external: ['node-sqlite3-wasm'],
    banner: { js: REQUIRE_FOR_COMMONJS },
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { __VERSION__: JSON.stringify(PROGRAMS_VERSION) },
    logLevel: 'warning',
  })
  // Under the name by which setup installs it.
  await writeFile(join(dir.path, 'host.cjs'), "void import('./host.js')\n")
  const at = (name: string) => join(dir.path, `${name}.js`)
  return { host: at('host'), companion: at('companion'), unicli: at('unicli'), remove: dir.remove }
}
