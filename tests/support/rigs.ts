import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { spawnProcess } from './processes.ts'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Installs `tests/rigs/<name>` from npm, outside of the product's own packages, unless this very lock file was
 * installed before; resolves with the folder that holds its node_modules. Processes that do so at the same
 * time do not disturb one another.
 *
 * @throws with npm's output when the installation fails, e.g. without a network
 */
export async function ensureRig(name: 'node-red'): Promise<string> {
  const source = join(ROOT, 'tests/rigs', name)
  const lock = await readFile(join(source, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const home = join(ROOT, '.cache/rigs')
  const target = join(home, `${name}-${version}`)
  if (existsSync(target)) return target
  await mkdir(home, { recursive: true })
  const staging = await mkdtemp(join(home, `${name}-making-`))
  try {
    await copyFile(join(source, 'package.json'), join(staging, 'package.json'))
    await copyFile(join(source, 'package-lock.json'), join(staging, 'package-lock.json'))
    await npmCi(staging)
    await rename(staging, target)
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    // Somebody else may have been quicker; then theirs is as good.
    if (!existsSync(target)) throw error
  }
  return target
}

/** In the real HOME, for the person's npm settings and cache: the tests' own HOME has neither. */
async function npmCi(folder: string): Promise<void> {
  const flags = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier']
  const env = { ...definedEnv(), HOME: userInfo().homedir }
  const npm = await spawnProcess('npm', ['ci', ...flags], { cwd: folder, env, input: '' })
  const { code } = await npm.exited
  if (code !== 0) throw new Error(`npm ci in ${folder} ended with ${code}:\n${npm.stdout()}${npm.stderr()}`)
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
