import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { orAborted } from '../../shared/abort.ts'
import { Failure } from '../../shared/failures.ts'
import type { LinkState } from '../../shared/status.ts'
import { isRunning } from '../daemon/lock.ts'
import { identityOf } from '../daemon/process-identity.ts'
import { openTextLog, tailOf } from '../daemon/text-log.ts'
import { installHosts } from '../setup/hosts.ts'
import type { Paths } from '../state/paths.ts'
import { findBrowser } from './executables.ts'
import { ownExtension } from './own-extension.ts'
import { prepareProfile } from './own-profile.ts'
import { QUIET_FLAGS } from './quiet-flags.ts'
import { type ManagedRecord, ManagedRecords } from './records.ts'

export interface LaunchRequest {
  name: string
  /** Null: without a window where there is no display. */
  headless: boolean | null
  /** A path, or the name of a browser; the first that is found when left out. */
  browser: string | undefined
  /** The DevTools endpoint of a browser that runs elsewhere. */
  cdp: string | undefined
}

export interface ManagedBrowser {
  name: string
  profile: { id: string; name: string } | null
  browser: string | null
  pid: number
  endpoint: string | null
  headless: boolean
  linked: boolean
  started_at: string
}

export interface ManagedParts {
  paths: Paths
  /** dist/ of the package. */
  dist: string
  env: Record<string, string | undefined>
  links: () => LinkState[]
  /** Called after each change of `links`; gives what ends it. */
  onLinks: (listener: () => void) => () => void
}

/** A browser that has not linked after so long will not. */
const LINKED_WITHIN_MS = 40_000
const QUIT_WITHIN_MS = 10_000
const UNLINKED_WITHIN_MS = 3000
const TAIL_CHARS = 600

/** Browsers of our own, for servers and CI: started with the extension, or remote ones that need none. */
export class ManagedBrowsers {
  readonly #parts: ManagedParts
  readonly #records: ManagedRecords

  constructor(parts: ManagedParts) {
    this.#parts = parts
    this.#records = new ManagedRecords(join(parts.paths.home, 'browsers'))
  }

  list(): ManagedBrowser[] {
    return this.#records.list().map(record => this.#shown(record))
  }

  /** Starts one, or gives the one of this name that runs. Fails with browser_not_found, browser_unreachable. */
  async launch(request: LaunchRequest, signal: AbortSignal): Promise<ManagedBrowser> {
    const running = this.#records.find(request.name)
    if (running !== null) return await this.#whenLinked(running, null, signal)
    this.#records.prepare(request.name)
    const log = openTextLog(this.#records.logFile(request.name))
    const headless = request.headless ?? !hasDisplay(this.#parts.env)
    const [file, args] =
      request.cdp === undefined ? this.#local(request, headless) : this.#remote(request.name, request.cdp)
    const child = spawn(file, args, {
      env: { ...this.#parts.env, UNICLI_MANAGED: request.name, UNICLI_HOME: this.#parts.paths.home },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
      windowsHide: true,
    })
    closeSync(log.fd)
    const record = recordOf(request, headless, await pidOf(child, file))
    child.unref()
    this.#records.save(record)
    try {
      return await this.#whenLinked(record, { child, logStart: log.start }, signal)
    } catch (error) {
      await this.quit(request.name)
      throw error
    }
  }

  /** False when none of this name ran. */
  async quit(name: string): Promise<boolean> {
    const record = this.#records.find(name)
    if (record === null) return false
    const until = Date.now() + QUIT_WITHIN_MS
    process.kill(record.process.pid, 'SIGTERM')
    // The end of a process that is no child of ours raises no event.
    while (isRunning(record.process) && Date.now() < until) await delay(50)
    if (isRunning(record.process)) process.kill(record.process.pid, 'SIGKILL')
    this.#records.forget(name)
    // Whoever calls next shall not meet a link that is about to end.
    const isGone = () => this.#linkOf(name) === undefined
    await this.#links(isGone, UNLINKED_WITHIN_MS, new AbortController().signal)
    return true
  }

  #local({ name, browser }: LaunchRequest, headless: boolean): [file: string, args: string[]] {
    const { paths, dist, env } = this.#parts
    const folder = this.#records.profileFolder(name)
    const file = findBrowser(browser, env)
    prepareProfile(folder)
    installHosts({ paths, host: join(dist, 'bin', 'host.cjs'), userDataDirs: [folder] })
    return [
      file,
      [
        ...QUIET_FLAGS,
        '--disable-features=DisableLoadExtensionCommandLineSwitch',
        ...(headless ? ['--headless=new'] : []),
        // Chromium refuses its sandbox to root, as whom containers run.
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        `--user-data-dir=${folder}`,
        `--load-extension=${ownExtension(join(dist, 'extension', 'chrome'), folder)}`,
        'about:blank',
      ],
    ]
  }

  #remote(name: string, endpoint: string): [file: string, args: string[]] {
    const id = `remote-${createHash('sha256').update(endpoint).digest('hex').slice(0, 16)}`
    return [process.execPath, [join(this.#parts.dist, 'bin', 'remote-browser.js'), endpoint, id, name]]
  }

  async #whenLinked(
    record: ManagedRecord,
    started: { child: ChildProcess; logStart: number } | null,
    signal: AbortSignal,
  ): Promise<ManagedBrowser> {
    const linked = await orAborted(this.#linked(record, started?.child ?? null), signal)
    if (linked) return this.#shown(record)
    const said = tailOf(this.#records.logFile(record.name), TAIL_CHARS, started?.logStart ?? 0)
    throw new Failure('browser_unreachable', {
      endpoint: record.endpoint ?? `the browser "${record.name}"`,
      reason: said === '' ? 'it did not link: does it take extensions from the command line?' : said,
    })
  }

  #linked(record: ManagedRecord, child: ChildProcess | null): Promise<boolean> {
    const over = new AbortController()
    child?.once('exit', () => over.abort())
    return this.#links(() => this.#linkOf(record.name) !== undefined, LINKED_WITHIN_MS, over.signal)
  }

  /** Waits for the links to be so; false when they are not in time, or nobody waits any more. */
  #links(isSo: () => boolean, withinMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const settle = (outcome: boolean): void => {
        clearTimeout(timer)
        end()
        resolve(outcome)
      }
      const look = (): void => {
        if (isSo()) settle(true)
      }
      const timer = setTimeout(() => settle(false), withinMs)
      const end = this.#parts.onLinks(look)
      signal.addEventListener('abort', () => settle(false), { once: true })
      look()
    })
  }

  #linkOf(name: string): LinkState | undefined {
    return this.#parts.links().find(link => link.managed === name && link.state === 'linked')
  }

  #shown({ name, process: { pid }, endpoint, headless, started_at }: ManagedRecord): ManagedBrowser {
    const link = this.#linkOf(name)
    return {
      ...{ name, profile: link?.profile ?? null, browser: link?.browser ?? null, pid, endpoint, headless },
      linked: link !== undefined,
      started_at: new Date(started_at).toISOString(),
    }
  }
}

const recordOf = ({ name, cdp }: LaunchRequest, headless: boolean, pid: number): ManagedRecord => ({
  ...{ name, endpoint: cdp ?? null, headless, started_at: Date.now() },
  process: { pid, identity: identityOf(pid) },
})

function pidOf(child: ChildProcess, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', cause =>
      reject(new Failure('browser_not_found', { wanted: `${file} (${cause.message})` }, { cause })),
    )
    child.once('spawn', () => resolve(child.pid ?? -1))
  })
}

const hasDisplay = (env: Record<string, string | undefined>): boolean =>
  process.platform !== 'linux' || Boolean(env.DISPLAY) || Boolean(env.WAYLAND_DISPLAY)
