import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Envelope } from '../../shared/envelope.ts'
import type { Status } from '../../shared/status.ts'
import { type Chromium, launchChromium } from './chromium.ts'
import { builtExtension } from './extension-rig.ts'
import { type Exit, isAlive, spawnProcess } from './processes.ts'
import { awaitStatus } from './status-stream.ts'
import { type IsolatedEnv, isolatedEnv } from './temp.ts'

/** The built product as a person has it, in a home of its own: companion, CLI, and browsers linked to it. */
export interface Product {
  env: IsolatedEnv
  /** Runs `unicli …`. */
  cli(...args: string[]): Promise<CliRun>
  cliWith(settings: { input?: string; env?: Record<string, string> }, ...args: string[]): Promise<CliRun>
  /** Asks over HTTP with the token; `path` such as `/v1/health`. */
  http(path: string, init?: RequestInit): Promise<Response>
  /** POST of one operation. */
  run(operation: string, args?: Record<string, unknown>, options?: Record<string, unknown>): Promise<Envelope>
  discovery(): Promise<{ pid: number; http_url: string }>
  token(): Promise<string>
  /** A Chromium with the extension, linked before this resolves. */
  browser(settings?: {
    name?: string
    headless?: boolean
    env?: Record<string, string>
    userDataDir?: string
    /** Folders of further extensions. */
    extensions?: readonly string[]
  }): Promise<Chromium>
  /** Resolves with the first state record, now or later, that fits; also of a companion that comes later. */
  status(fits: (status: Status) => boolean, withinMs?: number): Promise<Status>
  close(): Promise<void>
}

export interface CliRun extends Exit {
  stdout: string
  stderr: string
  /** Stdout as JSON. @throws when it is none */
  json(): Envelope
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const CLI = join(ROOT, 'dist', 'bin', 'unicli.cjs')
const STATUS_WITHIN_MS = 20_000

/** @param settings the person's `config.yaml`; by default nobody is asked, for nobody is there */
export async function startProduct(settings = 'policy: { profile: open }\n'): Promise<Product> {
  const env = await isolatedEnv()
  await mkdir(env.unicliHome, { mode: 0o700 })
  await writeFile(join(env.unicliHome, 'config.yaml'), settings, { mode: 0o600 })
  const browsers: Chromium[] = []
  const cliWith: Product['cliWith'] = async (settings, ...args) => {
    const run = await spawnProcess(process.execPath, [CLI, ...args], {
      env: { ...env.env, ...settings.env },
      input: settings.input ?? '',
    })
    const exit = await run.exited
    const stdout = run.stdout()
    return { ...exit, stdout, stderr: run.stderr(), json: () => JSON.parse(stdout) as Envelope }
  }
  const discovery = async () =>
    JSON.parse(await readFile(join(env.unicliHome, 'run', 'companion.json'), 'utf8'))
  const token = async () => (await readFile(join(env.unicliHome, 'token'), 'utf8')).trim()
  const http: Product['http'] = async (path, init = {}) => {
    const { http_url: url } = await discovery()
    const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' }
    return fetch(new URL(path, url), { ...init, headers: { ...headers, ...init.headers } })
  }
  const runFolder = join(env.unicliHome, 'run')
  const product: Product = {
    env,
    cli: (...args) => cliWith({}, ...args),
    cliWith,
    http,
    discovery,
    token,
    run: async (operation, args = {}, options = {}) => {
      const path = `/v1/operations/${operation.replace('.', '/')}`
      return (await http(path, { method: 'POST', body: JSON.stringify({ args, options }) })).json()
    },
    status: (fits, withinMs = STATUS_WITHIN_MS) =>
      awaitStatus({ open: signal => openEvents(http, signal), runFolder }, fits, withinMs),
    browser: async settings => {
      const browser = await linkedBrowser(product, settings)
      browsers.push(browser)
      return browser
    },
    close: async () => {
      await Promise.all(browsers.map(browser => (isAlive(browser.pid) ? browser.close() : undefined)))
      await cliWith({}, 'daemon', 'stop')
      await env.remove()
    },
  }
  try {
    await startCompanion(product)
  } catch (error) {
    // It may come up all the same, later than it was waited for.
    await product.close()
    throw error
  }
  return product
}

async function startCompanion(product: Product): Promise<void> {
  const started = await product.cli('daemon', 'start')
  if (started.code !== 0) throw new Error(`The companion did not start:\n${started.stderr}${started.stdout}`)
}

async function linkedBrowser(
  product: Product,
  settings: Parameters<Product['browser']>[0] = {},
): Promise<Chromium> {
  const { env, name, headless = true, extensions = [] } = settings
  const userDataDir = settings.userDataDir ?? join(product.env.root, `profile-${name ?? 'main'}`)
  const setup = await product.cli('setup', '--user-data-dir', userDataDir, '--no-prove')
  if (setup.code !== 0) throw new Error(`setup failed:\n${setup.stderr}${setup.stdout}`)
  const before = (await product.status(() => true)).profiles.filter(isLinked).length
  const browser = await launchChromium({
    extension: [builtExtension('chrome'), ...extensions],
    userDataDir,
    headless,
    env: { ...product.env.env, ...env },
  })
  await product.status(status => status.profiles.filter(isLinked).length > before)
  return browser
}

/** Of the profiles of a status: the link of what has ended may still be taken for one for a while. */
export const isLinkedSince =
  (at: number) =>
  ({ state, since }: Status['profiles'][number]): boolean =>
    state === 'linked' && since >= at

const isLinked = (link: Status['profiles'][number]): boolean => link.state === 'linked'

const openEvents = (http: Product['http'], signal: AbortSignal): Promise<Response> =>
  http('/v1/events', { headers: { accept: 'application/x-ndjson' }, signal })
