import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeTempDir } from '../../tests/support/temp.ts'
import { type Paths, pathsOf } from '../state/paths.ts'
import type { Machine } from './browsers.ts'
import { lastHostFault } from './host-fault.ts'
import { manifestText, wrapperText } from './host-files.ts'
import { inspectHosts, installHosts, uninstallHosts } from './hosts.ts'

let root: string
let paths: Paths
let machine: Machine
/** A program that tells how it was called, in the place of dist/bin/host.cjs. */
let host: string

beforeEach(async () => {
  const dir = await makeTempDir()
  onTestFinished(dir.remove)
  root = dir.path
  paths = pathsOf({ UNICLI_HOME: join(root, "an odd 'home'") })
  machine = { platform: 'linux', home: join(root, 'ann'), env: { PATH: join(root, 'bin') } }
  host = join(root, 'host $HOME.mjs')
  writeFileSync(
    host,
    'console.log(JSON.stringify([process.argv.slice(2), process.env.UNICLI_HOME, process.env.NODE_OPTIONS]))',
  )
})
const used = (...folders: string[]) => {
  for (const folder of folders) mkdirSync(join(machine.home, folder), { recursive: true })
}
const installed = () => installHosts({ paths, host, machine })
const chromiumManifest = () =>
  join(machine.home, '.config/chromium/NativeMessagingHosts/dev.unicli.bridge.json')

describe('the wrapper', () => {
  test('starts the host with the whole paths, the arguments and the home, and without NODE_OPTIONS', () => {
    installed()
    const output = execFileSync(join(paths.hosts, 'unicli-host'), ['chrome-extension://x/', 'a b'], {
      env: { NODE_OPTIONS: '--require=/nowhere.js' },
    })
    expect(JSON.parse(output.toString())).toEqual([['chrome-extension://x/', 'a b'], paths.home, null])
    expect(statSync(join(paths.hosts, 'unicli-host')).mode & 0o777).toBe(0o700)
  })

  test('leaves the default home to be found', () => {
    const settings = { node: '/n', host: '/h', unicliHome: null }
    expect(wrapperText(settings, 'linux')).not.toContain('UNICLI_HOME')
  })

  test('is a batch file on Windows, with percent signs of paths kept', () => {
    const settings = { node: 'C:\\Program Files\\node.exe', host: 'C:\\100%\\host.js', unicliHome: 'D:\\u' }
    expect(wrapperText(settings, 'win32').split('\r\n')).toEqual([
      '@echo off',
      'rem Written by "unicli setup".',
      'set NODE_OPTIONS=',
      'set "UNICLI_HOME=D:\\u"',
      '"C:\\Program Files\\node.exe" "C:\\100%%\\host.js" %*',
      '',
    ])
  })
})

describe('a manifest', () => {
  test('admits our extension alone', () => {
    expect(JSON.parse(manifestText('chromium', '/w'))).toEqual({
      name: 'dev.unicli.bridge',
      description: expect.any(String),
      path: '/w',
      type: 'stdio',
      allowed_origins: ['chrome-extension://bmhgikicjohdkplbpkdjjipgapbemcnj/'],
    })
    expect(JSON.parse(manifestText('firefox', '/w'))).toMatchObject({
      allowed_extensions: ['bridge@unicli.dev'],
    })
    expect(JSON.parse(manifestText('firefox', '/w'))).not.toHaveProperty('allowed_origins')
  })
})

describe('installing', () => {
  test('tells every browser that was used, each in its way, and no other', () => {
    used('.config/chromium', '.config/google-chrome-beta', '.mozilla')
    expect(installed().map(({ browser, change }) => [browser, change])).toEqual([
      [null, 'created'],
      ['Google Chrome', 'created'],
      ['Chromium', 'created'],
      ['Firefox', 'created'],
    ])
    expect(existsSync(join(machine.home, '.config/google-chrome'))).toBe(false)
    expect(JSON.parse(readFileSync(chromiumManifest(), 'utf8')).path).toBe(join(paths.hosts, 'unicli-host'))
  })

  test('tells a browser that is installed and was never started', () => {
    mkdirSync(join(root, 'bin'))
    writeFileSync(join(root, 'bin', 'chromium'), '')
    expect(installed()).toHaveLength(1)
    chmodSync(join(root, 'bin', 'chromium'), 0o755)
    expect(installed().map(({ browser }) => browser)).toEqual([null, 'Chromium'])
  })

  test('again changes nothing; after an update of Node it mends what names the old one', () => {
    used('.config/chromium')
    installed()
    expect(installed().map(({ change }) => change)).toEqual(['unchanged', 'unchanged'])
    writeFileSync(chromiumManifest(), '{}')
    const changes = installHosts({ paths, host, machine, node: '/opt/new/node' })
    expect(changes.map(({ change }) => change)).toEqual(['updated', 'updated'])
  })

  test('into chosen browsers or profile folders touches nothing else', () => {
    used('.config/chromium', '.mozilla')
    const profile = join(root, 'profile')
    expect(installHosts({ paths, host, machine, userDataDirs: [profile] }).map(({ path }) => path)).toEqual([
      join(paths.hosts, 'unicli-host'),
      join(profile, 'NativeMessagingHosts', 'dev.unicli.bridge.json'),
    ])
    expect(installHosts({ paths, host, machine, browsers: ['brave'] }).map(({ browser }) => browser)).toEqual(
      [null, 'Brave'],
    )
  })
})

test('uninstalling takes back all of it, profile folders too', () => {
  used('.config/chromium')
  installed()
  const profile = join(root, 'profile')
  installHosts({ paths, host, machine, userDataDirs: [profile] })
  const removed = uninstallHosts({ paths, machine })
  expect(removed.map(({ browser, change }) => [browser, change])).toEqual([
    ['Chromium', 'removed'],
    ['Chromium', 'removed'],
    [null, 'removed'],
  ])
  expect(removed.map(({ path }) => path).some(path => existsSync(path))).toBe(false)
  expect(uninstallHosts({ paths, machine })).toEqual([])
})

describe('inspecting', () => {
  const look = () => inspectHosts({ paths, host, machine })

  test('finds nothing installed, then all in order', () => {
    used('.config/chromium')
    expect(look()).toMatchObject({ wrapper: { state: 'missing' }, places: [{ state: 'missing' }] })
    installed()
    expect(look()).toMatchObject({
      wrapper: { state: 'ok' },
      places: [{ browser: 'Chromium', manifest: chromiumManifest(), state: 'ok' }],
    })
  })

  test('finds what is out of date and what is gone', () => {
    used('.config/chromium')
    installed()
    writeFileSync(chromiumManifest(), '{}')
    expect(look().places).toMatchObject([{ state: 'stale' }])
    writeFileSync(join(paths.hosts, 'unicli-host'), '#!/bin/sh\n')
    expect(look().wrapper.state).toBe('stale')
    installHosts({ paths, host, machine, node: join(root, 'old-node') })
    expect(look().wrapper.state).toBe('node_missing')
    installHosts({ paths, host: join(root, 'moved.js'), machine })
    expect(look().wrapper.state).toBe('host_missing')
  })

  test('knows profile folders as long as they exist', () => {
    const profile = join(root, 'profile')
    installHosts({ paths, host, machine, userDataDirs: [profile] })
    expect(look().places).toMatchObject([{ browser: `Chromium in ${profile}`, state: 'ok' }])
    execFileSync('rm', ['-r', profile])
    expect(look().places).toEqual([])
  })

  test('sees by its lock whether a browser of the Chromium family runs', () => {
    used('.config/chromium', '.mozilla')
    const lock = join(machine.home, '.config/chromium/SingletonLock')
    expect(look().places.map(({ isRunning }) => isRunning)).toEqual([false, null])
    symlinkSync(`some-host-${process.pid}`, lock)
    expect(look().places[0]?.isRunning).toBe(true)
    execFileSync('rm', [lock])
    symlinkSync(`some-host-${2 ** 22 + 1}`, lock)
    expect(look().places[0]?.isRunning).toBe(false)
  })
})

test('the last fault of the hosts is the last line of their log', () => {
  expect(lastHostFault(paths)).toBeNull()
  mkdirSync(paths.logs, { recursive: true })
  writeFileSync(
    paths.hostLog,
    '2026-01-01T00:00:00.000Z [1] first\n2026-01-02T00:00:00.000Z [2] refused: nobody\n',
  )
  expect(lastHostFault(paths)).toEqual({ text: '[2] refused: nobody', at: Date.parse('2026-01-02') })
})
