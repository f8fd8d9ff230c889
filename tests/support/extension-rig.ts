import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Chromium, launchChromium } from './chromium.ts'
import { type StandIn, startStandIn } from './stand-in.ts'
import type { StandInLink } from './stand-in-link.ts'
import { isolatedEnv } from './temp.ts'

/** The built extension in a real Chromium, linked to a stand-in for host and companion. */
export interface ExtensionRig {
  browser: Chromium
  standIn: StandIn
  /** The first link. */
  link: StandInLink
  close(): Promise<void>
}

/** The folder of the built extension. @throws when it has not been built */
export function builtExtension(browser: 'chrome' | 'firefox'): string {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  const folder = join(root, 'dist', 'extension', browser)
  if (!existsSync(join(folder, 'manifest.json'))) throw new Error('Build the extension first: npm run build.')
  return folder
}

/** `args` are further flags of the browser, such as its language. */
export async function startExtension(settings: { args?: readonly string[] } = {}): Promise<ExtensionRig> {
  const own = await isolatedEnv()
  const standIn = await startStandIn(own.root)
  const first = standIn.nextLink()
  const browser = await launchChromium({
    extension: builtExtension('chrome'),
    env: { ...own.env, ...standIn.env },
    nativeHostManifest: standIn.chromiumManifest,
    args: settings.args ?? [],
  })
  return {
    browser,
    standIn,
    link: await first,
    close: async () => {
      await browser.close()
      await standIn.close()
      await own.remove()
    },
  }
}
