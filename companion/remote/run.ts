import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXTENSION_ID } from '../../shared/identity.ts'
import { extensionApi, prologueOf } from './extension-api.ts'
import { connectProtocol } from './protocol.ts'
import { RemoteBrowser } from './remote-browser.ts'
import { Darkroom } from './remote-canvas.ts'
import { RemoteScripting } from './remote-scripting.ts'

export interface RemoteSettings {
  /** `http://host:port` or the browser's WebSocket. */
  endpoint: string
  profile: { id: string; name: string }
  /** The built extension for Chromium. */
  extension: string
  /** The native host's file. */
  host: string
}

/**
 * Runs the extension's own worker in this process, on a browser behind a DevTools socket that has no extension: all
 * that the extension can do is done by the same code, whose `chrome` is made of the protocol. To the companion it is
 * one more linked browser. Resolves when the remote browser is gone, or this process is told to end. Fails with
 * browser_unreachable.
 */
export async function runRemoteBrowser(settings: RemoteSettings): Promise<void> {
  const { endpoint, profile, extension, host } = settings
  const protocol = await connectProtocol(endpoint)
  const manifest = JSON.parse(await readFile(join(extension, 'manifest.json'), 'utf8'))
  const browser = new RemoteBrowser(protocol, prologueOf(EXTENSION_ID, manifest))
  await browser.open()
  const scripting = new RemoteScripting(browser, extension)
  const { api, fetch, end } = extensionApi({ browser, scripting, id: EXTENSION_ID, manifest, host, profile })
  const canvas = new Darkroom(browser).globals()
  await pretendToBeAWorker(protocol, { chrome: api, browser: api, fetch, self: globalThis, ...canvas })
  await import(pathToFileURL(join(extension, 'background.js')).href)
  const quit = (): void => void browser.closeOwn().then(() => protocol.close())
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, quit)
  await protocol.closed
  await end()
}

/** Globals of an extension's worker, with the remote browser's own name and version. */
async function pretendToBeAWorker(
  protocol: Awaited<ReturnType<typeof connectProtocol>>,
  globals: Record<string, unknown>,
): Promise<void> {
  const { userAgent } = await protocol.send<{ userAgent: string }>('Browser.getVersion')
  for (const [name, value] of Object.entries({ ...globals, navigator: { userAgent } }))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
}
