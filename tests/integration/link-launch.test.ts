import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { CompanionClient } from '../../companion/daemon/client.ts'
import { readDiscovery, writeDiscovery } from '../../companion/daemon/discovery.ts'
import { prepareFolders } from '../../companion/daemon/folder.ts'
import { ensureCompanion } from '../../companion/daemon/launch.ts'
import { lockHolder } from '../../companion/daemon/lock.ts'
import { stopCompanion } from '../../companion/daemon/stop.ts'
import { pathsOf } from '../../companion/state/paths.ts'
import { startExtension } from '../support/link/extension.ts'
import { buildLinkPrograms, type LinkPrograms, PROGRAMS_VERSION } from '../support/link/programs.ts'
import { assertExited, isAlive } from '../support/processes.ts'
import { isolatedEnv } from '../support/temp.ts'

let programs: LinkPrograms
beforeAll(async () => {
  programs = await buildLinkPrograms()
})
afterAll(() => programs.remove())

const version = PROGRAMS_VERSION
const soon = () => ({ deadline: Date.now() + 20_000, effect: 'read' as const })

/** A home where no companion runs; what runs there in the end is killed. */
async function emptyHome() {
  const own = await isolatedEnv()
  const paths = pathsOf(own.env)
  const connect = async (): Promise<CompanionClient> => {
    const entry = programs.companion
    const client = await ensureCompanion({ paths, role: 'cli', version, entry, env: own.env })
    onTestFinished(() => client.close())
    return client
  }
  const extension = () => {
    const started = startExtension({ host: programs.host, env: own.env })
    onTestFinished(() => void started.host.kill('SIGKILL'))
    return started
  }
  onTestFinished(async () => {
    const holder = lockHolder(paths.lock)
    if (holder !== null) process.kill(holder.pid, 'SIGKILL')
    if (holder !== null) await assertExited(holder.pid)
    await own.remove()
  })
  return { own, paths, connect, extension }
}
const closed = (client: CompanionClient) => new Promise<void>(resolve => client.onClose(resolve))

describe('starting', () => {
  test('the first client starts the companion, which outlives it; the next finds it', async () => {
    const { paths, connect } = await emptyHome()
    const first = await connect()
    const { pid } = readDiscovery(paths) ?? {}
    expect(first).toMatchObject({ version, protocol: 1 })
    expect(await first.call('echo', { a: 1 }, soon())).toEqual({ a: 1 })
    first.close()
    const second = await connect()
    expect(await second.call('echo', 'again', soon())).toBe('again')
    expect(readDiscovery(paths)).toMatchObject({ pid, version, socket: paths.socket, http_url: null })
  })

  test('five at once end with one companion', async () => {
    const { paths, connect } = await emptyHome()
    const clients = await Promise.all(Array.from({ length: 5 }, connect))
    expect(await Promise.all(clients.map((client, n) => client.call('echo', n, soon())))).toEqual([
      0, 1, 2, 3, 4,
    ])
    const pid = readDiscovery(paths)?.pid
    expect(lockHolder(paths.lock)?.pid).toBe(pid)
    // A second one would hold the socket that the others lost: all of them end with the one.
    const ends = Promise.all(clients.map(closed))
    process.kill(pid ?? 0, 'SIGKILL')
    await ends
  })

  test('a companion that fails tells why, with what it printed, and can be started later', async () => {
    const { own, connect } = await emptyHome()
    own.env.UNICLI_TEST_FAIL = 'the disk is full'
    await expect(connect()).rejects.toMatchObject({
      code: 'companion_unavailable',
      message: expect.stringMatching(/the disk is full; it printed:\n.*Error: the disk is full/s),
    })
    delete own.env.UNICLI_TEST_FAIL
    expect(await (await connect()).call('echo', 1, soon())).toBe(1)
  })

  test('what a killed one left behind does not hinder the next', async () => {
    const { paths, connect } = await emptyHome()
    const before = await connect()
    const dead = readDiscovery(paths)
    const lost = closed(before)
    process.kill(dead?.pid ?? 0, 'SIGKILL')
    await lost
    await expect(before.call('echo', 1, soon())).rejects.toMatchObject({ code: 'link_lost' })
    const after = await connect()
    expect(await after.call('echo', 1, soon())).toBe(1)
    expect(readDiscovery(paths)?.pid).not.toBe(dead?.pid)
  })

  test('a discovery file that is torn or points nowhere counts as none', async () => {
    const { paths, connect } = await emptyHome()
    prepareFolders(paths)
    writeFileSync(paths.token, 'f'.repeat(64))
    writeFileSync(paths.discovery, '{"pid": 1, "soc')
    const client = await connect()
    client.close()
    await stopCompanion({ paths, version })
    writeDiscovery(paths, {
      ...{ pid: 1, version, protocol: 1, socket: `${paths.socket}.gone`, http_url: null, started_at: 0 },
    })
    expect(await (await connect()).call('echo', 1, soon())).toBe(1)
  })
})

describe('a native host', () => {
  test('starts the companion, and again when it was killed: the link comes back without anybody', async () => {
    const { paths, extension } = await emptyHome()
    const first = extension()
    expect(await first.hello()).toMatchObject({ refused: null, version })
    const pid = readDiscovery(paths)?.pid ?? 0
    process.kill(pid, 'SIGKILL')
    expect(await first.ended).toBe(0)
    const second = extension()
    expect(await second.hello()).toMatchObject({ refused: null })
    expect(readDiscovery(paths)?.pid).not.toBe(pid)
  })

  test('answers its own ping while there is no companion yet', async () => {
    const { extension } = await emptyHome()
    const started = extension()
    started.send({ k: 'ping', id: 'p1', to: 'host' })
    expect(await started.frame('pong')).toEqual({ k: 'pong', id: 'p1' })
    expect(started.frames).toEqual([{ k: 'pong', id: 'p1' }])
    expect(await started.hello()).toMatchObject({ refused: null })
  })

  test('whose companion cannot start tells the extension why, logs it and ends', async () => {
    const { own, paths, extension } = await emptyHome()
    own.env.UNICLI_TEST_FAIL = 'no room'
    const started = extension()
    expect(await started.frame('welcome')).toMatchObject({
      refused: { code: 'companion_unavailable', params: { reason: expect.stringContaining('no room') } },
    })
    expect(await started.ended).toBe(1)
    expect(readFileSync(paths.hostLog, 'utf8')).toMatch(/companion_unavailable: .*no room/)
  })
})

describe('stopping', () => {
  test('ends the process, tells clients why, and leaves neither socket nor discovery file', async () => {
    const { paths, connect } = await emptyHome()
    const client = await connect()
    const pid = readDiscovery(paths)?.pid ?? 0
    const pending = client.call('never', {}, { ...soon(), effect: 'write' })
    const outcome = expect(pending).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(await stopCompanion({ paths, version })).toBe('stopped')
    await outcome
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(paths.socket) || existsSync(paths.discovery)).toBe(false)
    expect(await stopCompanion({ paths, version })).toBe('not_running')
  })

  test('by a signal is as orderly', async () => {
    const { paths, connect } = await emptyHome()
    const client = await connect()
    const pid = readDiscovery(paths)?.pid ?? 0
    const ended = closed(client)
    process.kill(pid, 'SIGTERM')
    await ended
    await assertExited(pid)
    expect(existsSync(paths.socket) || existsSync(paths.discovery)).toBe(false)
  })

  test('happens by itself when its home is deleted', async () => {
    const { own, paths, connect } = await emptyHome()
    await connect()
    const pid = readDiscovery(paths)?.pid ?? 0
    await own.remove()
    await assertExited(pid)
  })

  test('lasts: a host leaves it stopped, says so, and ends when somebody else starts it', async () => {
    const { paths, connect, extension } = await emptyHome()
    const first = extension()
    await first.hello()
    await stopCompanion({ paths, version })
    await first.ended
    const second = extension()
    expect(await second.frame('welcome')).toMatchObject({
      refused: {
        code: 'companion_unavailable',
        params: { reason: 'it was stopped by "unicli daemon stop"' },
      },
    })
    expect(lockHolder(paths.lock)).toBeNull()
    await connect()
    expect(await second.ended).toBe(1)
    expect(await extension().hello()).toMatchObject({ refused: null })
  })

  test('ends one that hangs, too', async () => {
    const { paths, connect } = await emptyHome()
    await connect()
    const pid = readDiscovery(paths)?.pid ?? 0
    process.kill(pid, 'SIGSTOP')
    expect(await stopCompanion({ paths, version })).toBe('stopped')
    expect(isAlive(pid)).toBe(false)
    expect(existsSync(paths.discovery)).toBe(false)
  })
})

test('a call to the browser finds its way from a client through a started companion and a host', async () => {
  const { connect, extension } = await emptyHome()
  const client = await connect()
  const answer = client.call('link.ping', {}, soon())
  const started = extension()
  await started.hello()
  const { id } = await started.frame('call')
  started.send({ k: 'done', id, result: { at: 7 } })
  expect(await answer).toEqual({ at: 7 })
})
