import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that nobody else uses. */
export interface TempDir {
  /** Absolute, without symbolic links, and short: a socket below it must fit into `sun_path`. */
  path: string
  /** Deletes the folder. Safe to call twice; waits for a dying browser's last writes. */
  remove(): Promise<void>
}

/** A home of one's own: what a program sees when nothing of the real user may leak in or be touched. */
export interface IsolatedEnv {
  root: string
  home: string
  unicliHome: string
  /** The whole environment for a child process: pass it as it is, not on top of `process.env`. */
  env: Record<string, string>
  remove(): Promise<void>
}

/** Names taken over from the real environment: what programs need to start, nothing that says who runs them. */
const INHERITED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'CI',
  'SYSTEMROOT',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
]

/** Names the folder that all processes of one test run share; set by run-setup.ts. */
export const RUN_DIR_VARIABLE = 'UNICLI_TEST_RUN_DIR'

export async function makeTempDir(): Promise<TempDir> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'u-')))
  return { path, remove: () => removeTree(path) }
}

/**
 * Makes a fresh HOME, XDG folders and UNICLI_HOME under one temporary root.
 *
 * @param extra further variables for the child, e.g. DISPLAY; they win over the isolated ones
 */
export async function isolatedEnv(extra: Record<string, string> = {}): Promise<IsolatedEnv> {
  const root = await makeTempDir()
  const home = join(root.path, 'h')
  const unicliHome = join(root.path, 'u')
  const own = {
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'AppData', 'Roaming'),
    LOCALAPPDATA: join(home, 'AppData', 'Local'),
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_RUNTIME_DIR: join(root.path, 'r'),
    UNICLI_HOME: unicliHome,
  }
  await mkdir(home)
  await mkdir(own.XDG_CONFIG_HOME, { recursive: true })
  await mkdir(own.XDG_RUNTIME_DIR, { mode: 0o700 })
  return { root: root.path, home, unicliHome, env: { ...inherited(), ...own, ...extra }, remove: root.remove }
}

/**
 * The folder for what is dear to make and may be shared by all tests of one run, such as an installed
 * database to copy. Under vitest with run-setup.ts it is one folder per run; elsewhere one per process,
 * deleted when the process exits.
 */
export function runDir(): string {
  const shared = process.env[RUN_DIR_VARIABLE]
  if (shared) {
    mkdirSync(shared, { recursive: true })
    return shared
  }
  ownRunDir ??= makeOwnRunDir()
  return ownRunDir
}

let ownRunDir: string | undefined

function makeOwnRunDir(): string {
  const path = mkdtempSync(join(tmpdir(), 'u-run-'))
  process.once('exit', () => rmSync(path, { recursive: true, force: true }))
  return path
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap(name => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
}
