import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawnProcess } from './processes.ts'
import { makeTempDir } from './temp.ts'

/** A copy of this repository's own files that a test may spoil; it borrows the installed packages. */
export interface Checkout {
  path: string
  read(file: string): Promise<string>
  /** Writes a file, with its folders. */
  write(file: string, text: string): Promise<void>
  /** Deletes a file, or all files of a folder but its tsconfig.json. */
  clear(name: string): Promise<void>
  append(file: string, text: string): Promise<void>
  /** Runs one of scripts/ with this Node, outside of CI; the output is both streams, stderr first. */
  script(file: string, ...args: string[]): Promise<ScriptRun>
  /** The same as CI runs it. */
  scriptInCi(file: string, ...args: string[]): Promise<ScriptRun>
  remove(): Promise<void>
}

export interface ScriptRun {
  code: number | null
  output: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COPIED = [
  ...['shared', 'companion', 'extension', 'tests', 'scripts', 'bench', 'docs'],
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'biome.json', 'knip.json', '.gitignore'],
  ...['.dependency-cruiser.mjs', 'vitest.config.ts', 'wxt.config.ts'],
]

export async function copyCheckout(): Promise<Checkout> {
  const { path, remove } = await makeTempDir()
  await Promise.all(
    COPIED.map(name =>
      cp(join(ROOT, name), join(path, name), {
        recursive: true,
        filter: source => !source.includes('/node_modules/'),
      }),
    ),
  )
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'))
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(path, file)), { recursive: true })
    await writeFile(join(path, file), text)
  }
  const read = (file: string) => readFile(join(path, file), 'utf8')
  const append = async (file: string, text: string) => write(file, (await read(file)) + text)
  const clear = async (name: string) => {
    const config = `${name}/tsconfig.json`
    const kept = existsSync(join(path, config)) ? await read(config) : undefined
    await rm(join(path, name), { recursive: true })
    if (kept !== undefined) await write(config, kept)
  }
  const runScript = async (env: NodeJS.ProcessEnv, file: string, args: string[]): Promise<ScriptRun> => {
    const variables = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value]] : []))
    const run = await spawnProcess(process.execPath, [join(path, 'scripts', file), ...args], {
      cwd: path,
      env: Object.fromEntries(variables),
    })
    const { code } = await run.exited
    return { code, output: run.stderr() + run.stdout() }
  }
  const script: Checkout['script'] = (file, ...args) => runScript({ ...process.env, CI: '' }, file, args)
  const scriptInCi: Checkout['script'] = (file, ...args) =>
    runScript({ ...process.env, CI: 'true' }, file, args)
  return { path, read, write, clear, append, script, scriptInCi, remove }
}
