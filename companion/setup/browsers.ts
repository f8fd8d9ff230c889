import { posix, win32 } from 'node:path'
import { HOST_NAME } from '../../shared/identity.ts'

/** Chromium's way or Firefox's: which file tells a browser of our host, and what is in it. */
export type BrowserKind = 'chromium' | 'firefox'

export const BROWSER_IDS = ['chrome', 'chromium', 'edge', 'brave', 'vivaldi', 'firefox'] as const
export type BrowserId = (typeof BROWSER_IDS)[number]

/** Where one browser, or one channel of it, looks for native hosts of one user. */
export interface HostPlace {
  browser: BrowserId
  kind: BrowserKind
  /** The browser's own folder: it was started once when this is there. */
  dataFolder: string
  manifest: string
  /** Windows: the keys whose default value is the manifest's path. */
  registryKeys: readonly string[]
}

export interface Machine {
  platform: NodeJS.Platform
  /** The person's home folder. */
  home: string
  env: Record<string, string | undefined>
}

interface Row {
  name: string
  kind: BrowserKind
  /** Below ~/.config (XDG_CONFIG_HOME), ~/Library/Application Support, %LOCALAPPDATA%. One for each channel. */
  linux: readonly string[]
  darwin: readonly string[]
  win32: readonly string[]
  /** Below HKCU\Software. */
  registry: readonly string[]
  /** Names on PATH (Linux), names of applications (macOS). */
  programs: readonly string[]
  applications: readonly string[]
}

/** Browsers that are built on Chrome have looked under Chrome's key at one time or another. */
const CHROME_KEY = 'Google\\Chrome'

const BROWSERS: Record<BrowserId, Row> = {
  chrome: {
    name: 'Google Chrome',
    kind: 'chromium',
    linux: ['google-chrome', 'google-chrome-beta', 'google-chrome-unstable'],
    darwin: ['Google/Chrome', 'Google/Chrome Beta', 'Google/Chrome Canary'],
    win32: ['Google\\Chrome\\User Data'],
    registry: [CHROME_KEY],
    programs: ['google-chrome', 'google-chrome-stable'],
    applications: ['Google Chrome.app'],
  },
  chromium: {
    name: 'Chromium',
    kind: 'chromium',
    linux: ['chromium'],
    darwin: ['Chromium'],
    win32: ['Chromium\\User Data'],
    registry: ['Chromium'],
    programs: ['chromium', 'chromium-browser'],
    applications: ['Chromium.app'],
  },
  edge: {
    name: 'Microsoft Edge',
    kind: 'chromium',
    linux: ['microsoft-edge', 'microsoft-edge-beta', 'microsoft-edge-dev'],
    darwin: ['Microsoft Edge', 'Microsoft Edge Beta', 'Microsoft Edge Dev'],
    win32: ['Microsoft\\Edge\\User Data'],
    registry: ['Microsoft\\Edge'],
    programs: ['microsoft-edge', 'microsoft-edge-stable'],
    applications: ['Microsoft Edge.app'],
  },
  brave: {
    name: 'Brave',
    kind: 'chromium',
    linux: ['BraveSoftware/Brave-Browser', 'BraveSoftware/Brave-Browser-Beta'],
    darwin: ['BraveSoftware/Brave-Browser', 'BraveSoftware/Brave-Browser-Beta'],
    win32: ['BraveSoftware\\Brave-Browser\\User Data'],
    registry: ['BraveSoftware\\Brave-Browser', CHROME_KEY],
    programs: ['brave-browser', 'brave'],
    applications: ['Brave Browser.app'],
  },
  vivaldi: {
    name: 'Vivaldi',
    kind: 'chromium',
    linux: ['vivaldi', 'vivaldi-snapshot'],
    darwin: ['Vivaldi'],
    win32: ['Vivaldi\\User Data'],
    registry: ['Vivaldi', CHROME_KEY],
    programs: ['vivaldi', 'vivaldi-stable'],
    applications: ['Vivaldi.app'],
  },
  firefox: {
    name: 'Firefox',
    kind: 'firefox',
    linux: ['.mozilla'],
    darwin: ['Mozilla'],
    win32: ['Mozilla'],
    registry: ['Mozilla'],
    programs: ['firefox', 'firefox-esr'],
    applications: ['Firefox.app'],
  },
}

export const nameOf = (browser: BrowserId): string => BROWSERS[browser].name
export const programsOf = (browser: BrowserId): readonly string[] => BROWSERS[browser].programs
export const applicationsOf = (browser: BrowserId): readonly string[] => BROWSERS[browser].applications

/** Every place on this machine where a browser would look. `hosts` is our own folder, used on Windows. */
export function placesOf(browser: BrowserId, machine: Machine, hosts: string): HostPlace[] {
  const row = BROWSERS[browser]
  if (machine.platform === 'win32') return [windowsPlace(browser, row, machine, hosts)]
  const folders = machine.platform === 'darwin' ? row.darwin : row.linux
  return folders.map(folder => {
    const dataFolder = posix.join(configFolder(row.kind, machine), folder)
    return {
      browser,
      kind: row.kind,
      dataFolder,
      manifest: manifestBelow(dataFolder, row.kind, machine),
      registryKeys: [],
    }
  })
}

/** The place in a profile folder that somebody chose with --user-data-dir: Chromium then looks only there. */
export const placeInProfile = (folder: string): HostPlace => ({
  browser: 'chromium',
  kind: 'chromium',
  dataFolder: folder,
  manifest: posix.join(folder, 'NativeMessagingHosts', `${HOST_NAME}.json`),
  registryKeys: [],
})

function manifestBelow(dataFolder: string, kind: BrowserKind, { platform }: Machine): string {
  const folder =
    kind === 'firefox' && platform === 'linux' ? 'native-messaging-hosts' : 'NativeMessagingHosts'
  return posix.join(dataFolder, folder, `${HOST_NAME}.json`)
}

function configFolder(kind: BrowserKind, { platform, home, env }: Machine): string {
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support')
  if (kind === 'firefox') return home
  return env.XDG_CONFIG_HOME || posix.join(home, '.config')
}

function windowsPlace(browser: BrowserId, row: Row, { home, env }: Machine, hosts: string): HostPlace {
  const local = env.LOCALAPPDATA ?? win32.join(home, 'AppData', 'Local')
  const roaming = env.APPDATA ?? win32.join(home, 'AppData', 'Roaming')
  return {
    browser,
    kind: row.kind,
    dataFolder: win32.join(row.kind === 'firefox' ? roaming : local, row.win32[0] ?? ''),
    manifest: win32.join(hosts, `${row.kind}.json`),
    registryKeys: row.registry.map(key => `HKCU\\Software\\${key}\\NativeMessagingHosts\\${HOST_NAME}`),
  }
}
