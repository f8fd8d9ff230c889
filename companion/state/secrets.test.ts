import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { fileKeyPlace, type KeyPlace, keychainOf } from './key-places.ts'
import { openSecrets } from './secrets.ts'

let dir: TempDir
let file: string
let keyFile: string
beforeEach(async () => {
  dir = await makeTempDir()
  file = join(dir.path, 'secrets', 'sealed.json')
  keyFile = join(dir.path, 'secrets', 'key')
})
afterEach(() => dir.remove())

const open = (keyPlaces: KeyPlace[] = [fileKeyPlace(keyFile)]) =>
  openSecrets({ file, keyPlaces, log: recordingLog() })

const TOKEN = 'gho_plantedPlantedPlantedPlanted0001'

describe('kept secrets', () => {
  it('come back after a restart, and no file holds them in the clear', async () => {
    await open().put('token.github', { access: TOKEN, 名: '值' })
    expect(await open().get('token.github')).toEqual({ access: TOKEN, 名: '值' })
    for (const name of readdirSync(join(dir.path, 'secrets'))) {
      const path = join(dir.path, 'secrets', name)
      expect([name, readFileSync(path, 'utf8').includes('planted')]).toEqual([name, false])
      expect([name, statSync(path).mode & 0o777]).toEqual([name, 0o600])
    }
  })

  it('are none before the first, and gone once dropped', async () => {
    const secrets = open()
    expect([await secrets.get('a'), secrets.keyPlace(), existsSync(file)]).toEqual([null, null, false])
    await secrets.put('a', 1)
    expect([await secrets.drop('a'), await secrets.drop('a'), await secrets.get('a')]).toEqual([
      true,
      false,
      null,
    ])
  })

  it('written at the same time are all kept, under one key', async () => {
    const secrets = open()
    await Promise.all(Array.from({ length: 20 }, (_, n) => secrets.put(`s${n}`, n)))
    const again = open()
    expect(await Promise.all(Array.from({ length: 20 }, (_, n) => again.get(`s${n}`)))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    )
  })

  it('open under their own name alone', async () => {
    await open().put('a', 'one')
    await open().put('b', 'two')
    const contents = JSON.parse(readFileSync(file, 'utf8'))
    contents.entries.b = contents.entries.a
    writeFileSync(file, JSON.stringify(contents))
    await expect(open().get('b')).rejects.toMatchObject({ code: 'state_unavailable' })
    expect(await open().get('a')).toBe('one')
  })

  it('without their key tell how to go on, and a new start is possible', async () => {
    await open().put('a', 'one')
    rmSync(keyFile)
    const secrets = open()
    await expect(secrets.get('a')).rejects.toThrow(/sign in again/)
    await expect(secrets.put('b', 'two')).rejects.toMatchObject({ code: 'state_unavailable' })
    expect(await secrets.drop('a')).toBe(true)
    await secrets.put('b', 'two')
    expect(await open().get('b')).toBe('two')
  })

  it('have their key in the first place that keeps it', async () => {
    const broken: KeyPlace = {
      name: 'secret-service',
      read: async () => null,
      write: async () => {
        throw new Error('no daemon answers')
      },
    }
    const secrets = open([broken, fileKeyPlace(keyFile)])
    await secrets.put('a', 1)
    expect(secrets.keyPlace()).toBe('file')
  })

  it('whose keychain cannot be reached now say so and are not overwritten', async () => {
    let kept: Buffer | null = null
    const keychain: KeyPlace = {
      name: 'secret-service',
      read: async () => kept,
      write: async key => {
        kept = key
      },
    }
    await open([keychain, fileKeyPlace(keyFile)]).put('a', 1)
    const elsewhere = open()
    await expect(elsewhere.get('a')).rejects.toThrow(/secret-service, which cannot be reached/)
    await expect(elsewhere.put('b', 2)).rejects.toMatchObject({ code: 'state_unavailable' })
    expect(await open([keychain]).get('a')).toBe(1)
  })
})

describe('the keychain of the system', () => {
  it('is looked for where a session bus and secret-tool are, and nowhere else on Linux', () => {
    const at = (env: Record<string, string>) =>
      keychainOf({ home: dir.path, keyFile, env, platform: 'linux' })?.name ?? null
    const tool = join(dir.path, 'secret-tool')
    writeFileSync(tool, '#!/bin/sh\n', { mode: 0o755 })
    expect(at({ PATH: dir.path })).toBeNull()
    expect(at({ PATH: '/nowhere', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBeNull()
    expect(at({ PATH: dir.path, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' })).toBe('secret-service')
  })

  it('is given the key by stdin, never by its arguments', async () => {
    // Notes what it was called with, and answers what it was given.
    const tool = join(dir.path, 'secret-tool')
    const script = `#!/bin/sh\necho "$@" >> ${dir.path}/argv\n[ "$1" = store ] && cat > ${dir.path}/kept || cat ${dir.path}/kept\n`
    writeFileSync(tool, script, { mode: 0o755 })
    const before = process.env.PATH
    process.env.PATH = `${dir.path}:${before}`
    try {
      const env = { PATH: dir.path, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x' }
      const place = keychainOf({ home: dir.path, keyFile, env, platform: 'linux' })
      const key = Buffer.alloc(32, 7)
      await place?.write(key)
      expect(await place?.read()).toEqual(key)
    } finally {
      process.env.PATH = before
    }
    const argv = readFileSync(join(dir.path, 'argv'), 'utf8')
    expect(argv).toMatch(/^store .*\nlookup /)
    expect(argv).not.toContain(readFileSync(join(dir.path, 'kept'), 'utf8').trim())
  })
})
