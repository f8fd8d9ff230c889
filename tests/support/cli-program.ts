import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { stopCompanion } from '../../companion/daemon/stop.ts'
import { pathsOf } from '../../companion/state/paths.ts'
import { VERSION } from '../../shared/version.ts'
import { type Spawned, spawnProcess } from './processes.ts'
import { type IsolatedEnv, isolatedEnv, makeTempDir } from './temp.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The thin client bundled as it is shipped, beside the companion of cli-companion.ts. */
export interface CliBundle {
  /** The file that is `unicli`. */
  file: string
  remove(): Promise<void>
}

export async function bundleCli(): Promise<CliBundle> {
  const dir = await makeTempDir()
  await writeFile(join(dir.path, 'package.json'), '{ "type": "module" }')
  await build({
    absWorkingDir: ROOT,
    entryPoints: { unicli: 'companion/bin/unicli.ts', companion: 'tests/support/cli-companion.ts' },
    outdir: dir.path,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['node-sqlite3-wasm'],
    banner: {
      js: "import { createRequire as require_ } from 'node:module'\nglobalThis.require ??= require_(import.meta.url)",
    },
    define: { __VERSION__: JSON.stringify(VERSION) },
    logLevel: 'warning',
  })
  return { file: join(dir.path, 'unicli.js'), remove: dir.remove }
}

/** One user's home with its own companion. */
export interface CliHome {
  env: Record<string, string>
  home: IsolatedEnv
  /** Starts `unicli`; stdin stays open unless `input` is given. */
  start(argv: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Spawned>
  /** Runs it to its end, with an empty stdin. */
  run(
    argv: readonly string[],
    options?: { input?: string; env?: Record<string, string> },
  ): Promise<{ code: number | null; out: string; err: string }>
  remove(): Promise<void>
}

export async function cliHome(bundle: CliBundle): Promise<CliHome> {
  const home = await isolatedEnv()
  const start: CliHome['start'] = (argv, { input, env } = {}) =>
    spawnProcess(process.execPath, [bundle.file, ...argv], {
      env: { ...home.env, CI: '', ...env },
      ...(input !== undefined && { input }),
    })
  return {
    env: home.env,
    home,
    start,
    run: async (argv, options) => {
      const spawned = await start(argv, { input: '', ...options })
      const { code } = await spawned.exited
      return { code, out: spawned.stdout(), err: spawned.stderr() }
    },
    remove: async () => {
      await stopCompanion({ paths: pathsOf(home.env), version: VERSION })
      await home.remove()
    },
  }
}
