import { expect, test } from 'vitest'
import { BROWSER_IDS, type BrowserId, type Machine, nameOf, placeInProfile, placesOf } from './browsers.ts'

const manifests = (browser: BrowserId, machine: Machine) =>
  placesOf(browser, machine, '/h').map(place => place.manifest)
const linux: Machine = { platform: 'linux', home: '/home/ann', env: {} }
const mac: Machine = { platform: 'darwin', home: '/Users/ann', env: {} }
const windows: Machine = {
  platform: 'win32',
  home: 'C:\\Users\\ann',
  env: { LOCALAPPDATA: 'C:\\Users\\ann\\AppData\\Local', APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' },
}
const FILE = 'dev.unicli.bridge.json'

test.each([
  ['chrome', '/home/ann/.config/google-chrome/NativeMessagingHosts'],
  ['chromium', '/home/ann/.config/chromium/NativeMessagingHosts'],
  ['edge', '/home/ann/.config/microsoft-edge/NativeMessagingHosts'],
  ['brave', '/home/ann/.config/BraveSoftware/Brave-Browser/NativeMessagingHosts'],
  ['vivaldi', '/home/ann/.config/vivaldi/NativeMessagingHosts'],
  ['firefox', '/home/ann/.mozilla/native-messaging-hosts'],
] as const)('on Linux, %s looks in %s', (browser, folder) => {
  expect(manifests(browser, linux)[0]).toBe(`${folder}/${FILE}`)
})

test('on Linux, the browsers of the Chromium family follow XDG_CONFIG_HOME and Firefox does not', () => {
  const moved = { ...linux, env: { XDG_CONFIG_HOME: '/cfg' } }
  expect(manifests('chromium', moved)).toEqual([`/cfg/chromium/NativeMessagingHosts/${FILE}`])
  expect(manifests('firefox', moved)).toEqual([`/home/ann/.mozilla/native-messaging-hosts/${FILE}`])
})

test.each([
  ['chrome', 'Google/Chrome'],
  ['chromium', 'Chromium'],
  ['edge', 'Microsoft Edge'],
  ['brave', 'BraveSoftware/Brave-Browser'],
  ['vivaldi', 'Vivaldi'],
  ['firefox', 'Mozilla'],
] as const)('on macOS, %s looks below Application Support/%s', (browser, folder) => {
  expect(manifests(browser, mac)[0]).toBe(
    `/Users/ann/Library/Application Support/${folder}/NativeMessagingHosts/${FILE}`,
  )
})

test.each([
  ['chrome', ['Google\\Chrome']],
  ['chromium', ['Chromium']],
  ['edge', ['Microsoft\\Edge']],
  ['brave', ['BraveSoftware\\Brave-Browser', 'Google\\Chrome']],
  ['vivaldi', ['Vivaldi', 'Google\\Chrome']],
  ['firefox', ['Mozilla']],
] as const)('on Windows, %s reads the registry below %s', (browser, keys) => {
  const [place] = placesOf(browser, windows, 'C:\\Users\\ann\\.unicli\\hosts')
  expect(place).toMatchObject({
    manifest: `C:\\Users\\ann\\.unicli\\hosts\\${browser === 'firefox' ? 'firefox' : 'chromium'}.json`,
    registryKeys: keys.map(key => `HKCU\\Software\\${key}\\NativeMessagingHosts\\dev.unicli.bridge`),
  })
})

test('on Windows, data folders are below Local, and below Roaming for Firefox', () => {
  const folder = (browser: BrowserId) => placesOf(browser, windows, 'h')[0]?.dataFolder
  expect(folder('edge')).toBe('C:\\Users\\ann\\AppData\\Local\\Microsoft\\Edge\\User Data')
  expect(folder('firefox')).toBe('C:\\Users\\ann\\AppData\\Roaming\\Mozilla')
})

test('a profile folder of its own holds its manifest itself', () => {
  expect(placeInProfile('/p').manifest).toBe(`/p/NativeMessagingHosts/${FILE}`)
})

test('no two browsers share a place, and each has a name', () => {
  for (const machine of [linux, mac]) {
    const all = BROWSER_IDS.flatMap(id => manifests(id, machine))
    expect(new Set(all).size).toBe(all.length)
  }
  expect(new Set(BROWSER_IDS.map(nameOf)).size).toBe(BROWSER_IDS.length)
})
