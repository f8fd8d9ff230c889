import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { lockHolder } from '../../companion/daemon/lock.ts'
import { pathsOf } from '../../companion/state/paths.ts'
import { startExtension } from '../support/link/extension.ts'
import { buildLinkPrograms, type LinkPrograms } from '../support/link/programs.ts'
import { assertExited, spawnProcess } from '../support/processes.ts'
import { isolatedEnv } from '../support/temp.ts'

let programs: LinkPrograms
beforeAll(async () => {
  programs = await buildLinkPrograms()
})
afterAll(() => programs.remove())

/** A home with one Chromium that was started once. */
async function homeWithChromium() {
  const own = await isolatedEnv({ PATH: '/nowhere' })
  const paths = pathsOf(own.env)
  const dataFolder = join(own.home, '.config', 'chromium')
  mkdirSync(dataFolder)
  onTestFinished(async () => {
    const holder = lockHolder(paths.lock)
    if (holder !== null) {
      process.kill(holder.pid, 'SIGKILL')
      await assertExited(holder.pid)
    }
    await own.remove()
  })
  const unicli = (...args: string[]) =>
    spawnProcess(process.execPath, [programs.unicli, ...args, '-f', 'json'], { env: own.env, input: '' })
  const manifest = join(dataFolder, 'NativeMessagingHosts', 'dev.unicli.bridge.json')
  return { own, paths, unicli, manifest }
}

describe('setup', () => {
  test('installs, waits for the browser to call by what it installed, and proves it by a ping', async () => {
    const { own, unicli, manifest } = await homeWithChromium()
    const setup = await unicli('setup', '--wait', '60')
    await setup.waitForLine(/Waiting 60 s for a browser/)
    const { path } = JSON.parse(readFileSync(manifest, 'utf8'))
    const extension = startExtension({ host: path, env: own.env, answer: () => ({ at: 1 }) })
    onTestFinished(() => void extension.host.kill('SIGKILL'))
    await extension.hello()
    expect(await setup.exited).toMatchObject({ code: 0 })
    expect(JSON.parse(setup.stdout()).data).toMatchObject({
      changes: [
        { browser: null, change: 'created' },
        { browser: 'Chromium', path: manifest, change: 'created' },
      ],
      links: [{ profile: { name: 'Work' }, state: 'linked', rtt_ms: expect.any(Number) }],
    })
    expect(await extension.frame('call')).toMatchObject({ method: 'link.ping' })
    const again = await unicli('setup')
    expect(await again.exited).toMatchObject({ code: 0 })
    expect(JSON.parse(again.stdout()).data.changes).toMatchObject([
      { change: 'unchanged' },
      { change: 'unchanged' },
    ])
  })

  test('that no browser answers says which hop is broken, and fails', async () => {
    const { unicli } = await homeWithChromium()
    const setup = await unicli('setup', '--wait', '1')
    expect(await setup.exited).toMatchObject({ code: 69 })
    expect(JSON.parse(setup.stdout()).error).toMatchObject({
      code: 'no_browser',
      details: { cause: 'browser_not_running' },
    })
    expect(setup.stderr()).toMatch(/ok {2}native host .*\n.*ok {2}manifest for Chromium .*\n.*BAD link /)
  })

  test('can be without proof, and can be taken back', async () => {
    const { paths, unicli, manifest } = await homeWithChromium()
    expect(await (await unicli('setup', '--no-prove')).exited).toMatchObject({ code: 0 })
    expect(existsSync(manifest)).toBe(true)
    expect(lockHolder(paths.lock)).toBeNull()
    const undone = await unicli('setup', '--uninstall')
    expect(await undone.exited).toMatchObject({ code: 0 })
    expect(JSON.parse(undone.stdout()).data.changes).toMatchObject([
      { path: manifest, change: 'removed' },
      {},
    ])
    expect(existsSync(manifest)).toBe(false)
  })

  test.each([
    [['--wait', 'long'], /--wait takes seconds/],
    [['--browser', 'lynx'], /lynx/],
  ])('refuses %j as a mistake in usage', async (args, problem) => {
    const { unicli, manifest } = await homeWithChromium()
    const setup = await unicli('setup', ...args)
    expect(await setup.exited).toMatchObject({ code: 2 })
    expect(setup.stdout()).toMatch(problem)
    expect(existsSync(manifest)).toBe(false)
  })
})
