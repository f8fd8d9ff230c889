import { QUIET_FLAGS } from '../../companion/managed/quiet-flags.ts'
import { closeBrowser } from './browser-exit.ts'
import { connectProtocol, type ProtocolClient } from './browser-protocol.ts'
import { type ChromiumSettings, prepareChromium } from './chromium-profile.ts'
import { type Spawned, spawnProcess } from './processes.ts'

/** A Chromium started as a person's own is, without Playwright and its flags: for restart and kill tests. */
export interface RawChromium {
  pid: number
  /** The DevTools socket of the whole browser. */
  wsUrl: string
  userDataDir: string
  extensionIds: string[]
  /** A client of that socket, connected already. */
  cdp: ProtocolClient
  /** Closes the browser as a person does; deletes the profile unless the caller named one. */
  close(): Promise<void>
  /** Kills the browser and all its processes at once, as a crash would; the profile is treated as by `close`. */
  kill(): Promise<void>
}

export async function launchRawChromium(settings: ChromiumSettings = {}): Promise<RawChromium> {
  const profile = await prepareChromium(settings)
  const mode = (settings.headless ?? true) ? ['--headless=new'] : []
  const where = [`--user-data-dir=${profile.userDataDir}`, '--remote-debugging-port=0']
  const args = [...mode, ...QUIET_FLAGS, ...where, ...profile.args, 'about:blank']
  const browser = await spawnProcess(profile.executable, args, { env: profile.env })
  const cdp = await connect(browser).catch(async error => {
    await browser.stop()
    await profile.remove()
    throw error
  })
  return {
    pid: browser.pid,
    wsUrl: cdp.url,
    userDataDir: profile.userDataDir,
    extensionIds: profile.extensionIds,
    cdp: cdp.client,
    close: async () => {
      await closeBrowser(browser, cdp.client, 'Browser.close')
      await profile.remove()
    },
    kill: async () => {
      browser.kill('SIGKILL')
      await browser.exited
      await profile.remove()
    },
  }
}

async function connect(browser: Spawned): Promise<{ url: string; client: ProtocolClient }> {
  const [, url = ''] = await browser.waitForLine(/DevTools listening on (ws:\S+)/)
  return { url, client: await connectProtocol(url) }
}
