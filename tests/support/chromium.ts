import { readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Worker } from 'playwright-core'
import { type ChromiumProfile, type ChromiumSettings, prepareChromium } from './chromium-profile.ts'
import { assertExited, waitFor } from './processes.ts'

/** A Chromium driven by Playwright, with one persistent profile. */
export interface Chromium {
  context: BrowserContext
  pid: number
  userDataDir: string
  /** Ids of the loaded extensions, in the order in which they were given. */
  extensionIds: string[]
  /** The first of them. @throws when none was loaded */
  extensionId: string
  /**
   * The service worker of an extension (default: the first), awaited when it is not up. Playwright keeps the
   * handle when the worker is killed; it speaks to the new worker as soon as an event has woken it.
   */
  serviceWorker(extensionId?: string): Promise<Worker>
  /** The WebSocket of the whole browser, for `connectProtocol`; beside Playwright's own connection. */
  cdpUrl(): Promise<string>
  /** Closes the browser, waits for its end, and deletes the profile unless the caller named one. */
  close(): Promise<void>
}

/** Twice Playwright's own: two cores may be shared by several test runs. */
const PATIENCE_MS = 60_000

export async function launchChromium(settings: ChromiumSettings = {}): Promise<Chromium> {
  const profile = await prepareChromium(settings)
  const context = await start(profile, settings.headless ?? true)
  const pid = await pidOf(profile.userDataDir)
  return {
    context,
    pid,
    userDataDir: profile.userDataDir,
    extensionIds: profile.extensionIds,
    get extensionId() {
      return firstOf(profile.extensionIds)
    },
    serviceWorker: (id = firstOf(profile.extensionIds)) => serviceWorker(context, id),
    cdpUrl: () => cdpUrlOf(profile.userDataDir),
    close: async () => {
      await context.close()
      await assertExited(pid)
      await profile.remove()
    },
  }
}

async function start(profile: ChromiumProfile, headless: boolean): Promise<BrowserContext> {
  try {
    const context = await chromium.launchPersistentContext(profile.userDataDir, {
      executablePath: profile.executable,
      headless,
      timeout: PATIENCE_MS,
      env: profile.env,
      args: [...profile.args, '--remote-debugging-port=0'],
    })
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  } catch (error) {
    await profile.remove()
    throw error
  }
}

async function serviceWorker(context: BrowserContext, extensionId: string): Promise<Worker> {
  const isOurs = (worker: Worker) => worker.url().startsWith(`chrome-extension://${extensionId}/`)
  return context.serviceWorkers().find(isOurs) ?? context.waitForEvent('serviceworker', isOurs)
}

/** Playwright keeps the process to itself, but the profile's lock names it: a link to `host-pid`. */
async function pidOf(userDataDir: string): Promise<number> {
  const lock = await readlink(join(userDataDir, 'SingletonLock'))
  return Number(lock.slice(lock.lastIndexOf('-') + 1))
}

/** Chromium writes the port and the path of its DevTools socket into the profile, some time after its start. */
async function cdpUrlOf(userDataDir: string): Promise<string> {
  const written = await waitFor(() => readFile(join(userDataDir, 'DevToolsActivePort'), 'utf8'), {
    what: 'DevToolsActivePort',
  })
  const [port, path] = written.split('\n')
  return `ws://127.0.0.1:${port}${path}`
}

function firstOf(extensionIds: readonly string[]): string {
  const [id] = extensionIds
  if (id === undefined) throw new Error('This browser was started without an extension.')
  return id
}
