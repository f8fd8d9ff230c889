import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeTempDir } from '../../tests/support/temp.ts'
import { type Paths, pathsOf } from '../state/paths.ts'
import { type Discovery, readDiscovery, readToken, removeDiscovery, writeDiscovery } from './discovery.ts'
import { assertPrivate, prepareFolders } from './folder.ts'
import { isOwnOrigin, originOf } from './origin.ts'
import { appendLine, tailOf } from './text-log.ts'
import { ensureToken, isSameToken } from './token.ts'

let paths: Paths
beforeEach(async () => {
  const dir = await makeTempDir()
  onTestFinished(dir.remove)
  paths = pathsOf({ UNICLI_HOME: join(dir.path, 'u') })
})
const mode = (path: string) => statSync(path).mode & 0o777
const discovery: Discovery = {
  ...{ pid: 1, version: '1.0.0', protocol: 1, socket: '/s', http_url: null, started_at: 5 },
}

describe('the folders', () => {
  test('are made for this user alone, and closed when they were open to others', () => {
    mkdirSync(paths.home, { mode: 0o755 })
    mkdirSync(paths.run, { mode: 0o777 })
    chmodSync(paths.run, 0o777)
    expect(() => assertPrivate(paths.run)).toThrow('can be written to by other users')
    prepareFolders(paths)
    expect([paths.home, paths.run, paths.logs].map(mode)).toEqual([0o700, 0o700, 0o700])
    assertPrivate(paths.run)
  })
})

describe('the discovery file', () => {
  test('is read as it was written, by this user only, and leaves nothing beside it', () => {
    prepareFolders(paths)
    writeDiscovery(paths, discovery)
    writeDiscovery(paths, { ...discovery, pid: 2 })
    expect(readDiscovery(paths)).toEqual({ ...discovery, pid: 2 })
    expect(mode(paths.discovery)).toBe(0o600)
    expect(readdirSync(paths.run)).toEqual(['companion.json'])
    removeDiscovery(paths)
    removeDiscovery(paths)
    expect(readDiscovery(paths)).toBeNull()
  })

  test.each(['', '{', 'null', '{"pid":"1","socket":"/s"}'])('counts as none when it holds %j', text => {
    prepareFolders(paths)
    writeFileSync(paths.discovery, text)
    expect(readDiscovery(paths)).toBeNull()
  })
})

describe('the token', () => {
  test('is made once, of 32 random bytes, readable by this user only', () => {
    prepareFolders(paths)
    expect(readToken(paths)).toBeNull()
    const token = ensureToken(paths)
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    chmodSync(paths.token, 0o644)
    expect(ensureToken(paths)).toBe(token)
    expect(readToken(paths)).toBe(token)
    expect(mode(paths.token)).toBe(0o600)
  })

  test('that is no token is replaced', () => {
    prepareFolders(paths)
    writeFileSync(paths.token, 'password')
    expect(ensureToken(paths)).not.toBe('password')
  })

  test('is compared as a whole', () => {
    expect(isSameToken('abc', 'abc')).toBe(true)
    for (const other of ['', 'ab', 'abcd', 'abd', 'ABC']) expect(isSameToken(other, 'abc')).toBe(false)
  })
})

describe('the caller of the native host', () => {
  const chromium = 'chrome-extension://bmhgikicjohdkplbpkdjjipgapbemcnj/'

  test('is the first argument in Chromium, also where a window handle follows, and the second in Firefox', () => {
    expect(originOf([chromium])).toBe(chromium)
    expect(originOf([chromium, '--parent-window=7'])).toBe(chromium)
    expect(originOf(['/path/dev.unicli.bridge.json', 'bridge@unicli.dev'])).toBe('bridge@unicli.dev')
    expect(originOf([])).toBeNull()
  })

  test.each([
    ['chrome-extension://bmhgikicjohdkplbpkdjjipgapbemcnj', false],
    ['chrome-extension://bmhgikicjohdkplbpkdjjipgapbemcnj/x', false],
    ['chrome-extension://BMHGIKICJOHDKPLBPKDJJIPGAPBEMCNJ/', false],
    ['bridge@unicli.dev.evil', false],
    ['', false],
    ['bridge@unicli.dev', true],
    [chromium, true],
  ])('is ours only when it is exactly so: %s', (origin, isOwn) => {
    expect(isOwnOrigin(origin)).toBe(isOwn)
  })
})

describe('the log of the host', () => {
  test('keeps the file before it when it has grown to a megabyte', () => {
    prepareFolders(paths)
    appendLine(paths.hostLog, 'first')
    expect(tailOf(paths.hostLog, 1000)).toMatch(/^\d{4}-.*Z first$/)
    writeFileSync(paths.hostLog, 'x'.repeat(1024 * 1024))
    appendLine(paths.hostLog, 'second')
    expect(tailOf(paths.hostLog, 1000)).toMatch(/second$/)
    expect(statSync(`${paths.hostLog}.1`).size).toBe(1024 * 1024)
    expect(tailOf(paths.hostLog, 7)).toBe('second')
    expect(tailOf(join(paths.logs, 'none'), 10)).toBe('')
  })
})
