import { join } from 'node:path'
import { findExecutable } from './executables.ts'
import { extensionIdOf } from './extension-id.ts'
import { type NativeHostManifest, writeNativeHostManifest } from './native-host-manifest.ts'
import { isolatedEnv } from './temp.ts'

/** How a Chromium for tests is started, with or without Playwright. */
export interface ChromiumSettings {
  /** Folders of built extensions. */
  extension?: string | readonly string[]
  /** A profile to use again; kept when the browser ends. Default: a fresh one, deleted with the browser. */
  userDataDir?: string
  /** Default true. Where false, `env` must hold a DISPLAY (see xvfb.ts). */
  headless?: boolean
  /** The browser's whole environment; native hosts inherit it. Default: an isolated one. */
  env?: Record<string, string>
  /** Registered for this profile only. */
  nativeHostManifest?: NativeHostManifest
  /** Further command line flags. */
  args?: readonly string[]
}

/** A profile ready to be used by one browser. */
export interface ChromiumProfile {
  executable: string
  userDataDir: string
  env: Record<string, string>
  extensionIds: string[]
  /** Flags that both ways of starting need. */
  args: string[]
  /** Deletes what was made for this profile; never a `userDataDir` that the caller named. */
  remove(): Promise<void>
}

export function findChromium(): string | undefined {
  return findExecutable('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
}

export async function prepareChromium(settings: ChromiumSettings): Promise<ChromiumProfile> {
  const executable = findChromium()
  if (!executable) throw new Error('No chromium, chromium-browser or google-chrome is on PATH.')
  const extensions = [settings.extension ?? []].flat()
  const own = await isolatedEnv()
  const userDataDir = settings.userDataDir ?? join(own.root, 'p')
  if (settings.nativeHostManifest) {
    await writeNativeHostManifest(join(userDataDir, 'NativeMessagingHosts'), settings.nativeHostManifest)
  }
  return {
    executable,
    userDataDir,
    env: settings.env ?? own.env,
    extensionIds: extensions.map(extensionIdOf),
    args: [...sandboxFlags(), ...extensionFlags(extensions), ...(settings.args ?? [])],
    remove: own.remove,
  }
}

/** Chromium refuses to run as root inside its own sandbox. */
function sandboxFlags(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

function extensionFlags(extensions: readonly string[]): string[] {
  if (extensions.length === 0) return []
  return [`--disable-extensions-except=${extensions.join(',')}`, `--load-extension=${extensions.join(',')}`]
}
