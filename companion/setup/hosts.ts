import { accessSync, constants, existsSync, mkdirSync, readlinkSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { hasErrno, readIfThere, replaceFile } from '../daemon/atomic-file.ts'
import type { Paths } from '../state/paths.ts'
import {
  applicationsOf,
  BROWSER_IDS,
  type BrowserId,
  type HostPlace,
  type Machine,
  nameOf,
  placeInProfile,
  placesOf,
  programsOf,
} from './browsers.ts'
import { manifestText, type WrapperSettings, wrapperText } from './host-files.ts'
import { deleteKey, readKey, writeKey } from './registry.ts'

export interface HostSettings {
  paths: Paths
  /** dist/bin/host.cjs, absolute. */
  host: string
  /** Default: the Node that runs this. */
  node?: string
  machine?: Machine
}

export interface InstallSettings extends HostSettings {
  /** Default: every browser that is found. */
  browsers?: readonly BrowserId[]
  /** Profile folders of managed browsers; with them, and no `browsers`, nothing else is touched. */
  userDataDirs?: readonly string[]
}

export type Change = 'created' | 'updated' | 'unchanged' | 'removed'

export interface HostChange {
  /** Null for the wrapper, which all browsers share. */
  browser: string | null
  path: string
  change: Change
}

/** How one place looks now. */
export interface PlaceState {
  /** The browser, and its profile folder where somebody chose one. */
  browser: string
  manifest: string
  state: 'ok' | 'missing' | 'stale'
  /** Null where the system does not tell. */
  isRunning: boolean | null
}

export interface HostsState {
  wrapper: { path: string; state: 'ok' | 'missing' | 'node_missing' | 'host_missing' | 'stale' }
  places: PlaceState[]
}

/** What setup did last: doctor and uninstall know by it of managed profiles, and of the Node that was named. */
interface InstallRecord {
  node: string
  host: string
  userDataDirs: string[]
}

const thisMachine = (): Machine => ({ platform: process.platform, home: homedir(), env: process.env })

/** Tells browsers where the native host is. Repeated, it changes what has changed and nothing else. */
export function installHosts(settings: InstallSettings): HostChange[] {
  const { paths, host, browsers } = settings
  const profiles = (settings.userDataDirs ?? []).map(folder => resolve(folder))
  const node = settings.node ?? process.execPath
  const machine = settings.machine ?? thisMachine()
  const wrapper = wrapperPath(paths, machine)
  const ids = browsers ?? (profiles.length > 0 ? [] : BROWSER_IDS.filter(id => isFound(id, machine, paths)))
  const places = [
    ...ids.flatMap(id => worthTelling(placesOf(id, machine, paths.hosts))),
    ...profiles.map(placeInProfile),
  ]
  const changes: HostChange[] = [
    {
      browser: null,
      path: wrapper,
      change: write(wrapper, wrapperOf({ paths, host, node }, machine), 0o700),
    },
    ...places.map(place => ({
      browser: nameOf(place.browser),
      path: place.manifest,
      change: tell(place, manifestText(place.kind, wrapper)),
    })),
  ]
  const known = readRecord(paths)?.userDataDirs ?? []
  writeRecord(paths, { node, host, userDataDirs: [...new Set([...known, ...profiles])] })
  return changes
}

/** Takes back all that was installed, for browsers that are gone too. */
export function uninstallHosts({ paths, machine = thisMachine() }: Omit<HostSettings, 'host'>): HostChange[] {
  const changes: HostChange[] = []
  const remove = (browser: string | null, path: string) => {
    if (!existsSync(path)) return
    rmSync(path)
    changes.push({ browser, path, change: 'removed' })
  }
  for (const place of allPlaces(paths, machine)) {
    for (const key of place.registryKeys) if (readKey(key) === place.manifest) deleteKey(key)
    remove(nameOf(place.browser), place.manifest)
  }
  remove(null, wrapperPath(paths, machine))
  rmSync(recordPath(paths), { force: true })
  return changes
}

/** Looks at files alone, and changes none. */
export function inspectHosts(settings: HostSettings): HostsState {
  const { paths, host } = settings
  const machine = settings.machine ?? thisMachine()
  const wrapper = wrapperPath(paths, machine)
  const record = readRecord(paths)
  const node = record?.node ?? settings.node ?? process.execPath
  const found = BROWSER_IDS.filter(id => isFound(id, machine, paths))
  const profiles = (record?.userDataDirs ?? []).filter(folder => existsSync(folder))
  const places = [
    ...found
      .flatMap(id => worthTelling(placesOf(id, machine, paths.hosts)))
      .map(place => ({ place, browser: nameOf(place.browser) })),
    ...profiles.map(folder => ({ place: placeInProfile(folder), browser: `Chromium in ${folder}` })),
  ]
  return {
    wrapper: { path: wrapper, state: wrapperState(wrapper, { paths, host, node }, machine, record) },
    places: places.map(({ place, browser }) => ({
      browser,
      manifest: place.manifest,
      state: placeState(place, manifestText(place.kind, wrapper)),
      isRunning: isRunning(place),
    })),
  }
}

function wrapperState(
  path: string,
  wanted: { paths: Paths; host: string; node: string },
  machine: Machine,
  record: InstallRecord | null,
): HostsState['wrapper']['state'] {
  const text = readIfThere(path)
  if (text === null) return 'missing'
  if (record !== null && !existsSync(record.node)) return 'node_missing'
  if (record !== null && !existsSync(record.host)) return 'host_missing'
  return text === wrapperOf(wanted, machine) ? 'ok' : 'stale'
}

function placeState({ manifest, registryKeys }: HostPlace, wanted: string): PlaceState['state'] {
  const text = readIfThere(manifest)
  if (text === null || registryKeys.some(key => readKey(key) === null)) return 'missing'
  return text === wanted && registryKeys.every(key => readKey(key) === manifest) ? 'ok' : 'stale'
}

function tell(place: HostPlace, text: string): Change {
  const change = write(place.manifest, text, 0o600)
  let isNew = false
  for (const key of place.registryKeys) {
    if (readKey(key) === place.manifest) continue
    writeKey(key, place.manifest)
    isNew = true
  }
  return change === 'unchanged' && isNew ? 'updated' : change
}

function write(path: string, text: string, mode: number): Change {
  const before = readIfThere(path)
  if (before === text) return 'unchanged'
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceFile(path, text, mode)
  return before === null ? 'created' : 'updated'
}

const wrapperOf = (
  { paths, host, node }: { paths: Paths; host: string; node: string },
  { platform }: Machine,
): string => {
  const settings: WrapperSettings = { node, host, unicliHome: paths.isDefaultHome ? null : paths.home }
  return wrapperText(settings, platform)
}

const wrapperPath = (paths: Paths, { platform }: Machine): string =>
  join(paths.hosts, platform === 'win32' ? 'unicli-host.bat' : 'unicli-host')

function allPlaces(paths: Paths, machine: Machine): HostPlace[] {
  return [
    ...BROWSER_IDS.flatMap(id => placesOf(id, machine, paths.hosts)),
    ...(readRecord(paths)?.userDataDirs ?? []).map(placeInProfile),
  ]
}

/** Channels that were used, or the first one of a browser that was never started. */
function worthTelling(places: HostPlace[]): HostPlace[] {
  const used = places.filter(place => existsSync(place.dataFolder))
  return used.length > 0 ? used : places.slice(0, 1)
}

function isFound(id: BrowserId, machine: Machine, paths: Paths): boolean {
  if (placesOf(id, machine, paths.hosts).some(place => existsSync(place.dataFolder))) return true
  if (machine.platform === 'darwin')
    return applicationsOf(id).some(name =>
      ['/Applications', join(machine.home, 'Applications')].some(folder => existsSync(join(folder, name))),
    )
  const folders = (machine.env.PATH ?? '').split(delimiter).filter(folder => folder !== '')
  return programsOf(id).some(name => folders.some(folder => isExecutable(join(folder, name))))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Whatever the reason: it is nothing that we, or the person, could start.
    return false
  }
}

/** Chromium holds its folder by a link that names host and process; Firefox and Windows show nothing. */
function isRunning({ kind, dataFolder }: HostPlace): boolean | null {
  if (kind === 'firefox' || process.platform === 'win32') return null
  try {
    const pid = Number(/-(\d+)$/.exec(readlinkSync(join(dataFolder, 'SingletonLock')))?.[1])
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process answers so; everything else says that there is no link or no process.
    return hasErrno(error, 'EPERM')
  }
}

const recordPath = (paths: Paths): string => join(paths.hosts, 'installed.json')

function readRecord(paths: Paths): InstallRecord | null {
  const text = readIfThere(recordPath(paths))
  if (text === null) return null
  try {
    const { node, host, userDataDirs } = JSON.parse(text)
    return { node: String(node), host: String(host), userDataDirs: [userDataDirs].flat().map(String) }
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const writeRecord = (paths: Paths, record: InstallRecord): void =>
  replaceFile(recordPath(paths), `${JSON.stringify(record, null, 2)}\n`)
