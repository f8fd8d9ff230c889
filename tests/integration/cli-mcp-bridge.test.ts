import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readDiscovery } from '../../companion/daemon/discovery.ts'
import { pathsOf } from '../../companion/state/paths.ts'
import { bundleCli, type CliBundle, type CliHome, cliHome } from '../support/cli-program.ts'
import { type Spawned, waitFor } from '../support/processes.ts'

let bundle: CliBundle
beforeAll(async () => {
  bundle = await bundleCli()
})
afterAll(() => bundle.remove())

let cli: CliHome
let bridge: Spawned
beforeEach(async () => {
  cli = await cliHome(bundle)
  bridge = await cli.start(['mcp', 'serve'])
})
afterEach(async () => {
  await bridge.stop()
  await cli.remove()
})

const say = (...messages: object[]) => {
  for (const message of messages)
    bridge.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
/** The answer to request `id`, past or to come. */
const answer = async (id: number | string) => {
  const [line] = await bridge.waitForLine(new RegExp(`^.*"id":${JSON.stringify(id)}[,}].*}}$`))
  return JSON.parse(line)
}
const open = async () => {
  say({ id: 1, method: 'initialize', params: { clientInfo: { name: '試験' } } })
  await answer(1)
  say({ method: 'notifications/initialized' })
}
const companionPid = () => readDiscovery(pathsOf(cli.env))?.pid ?? 0
/** Resolves when the bridge has noticed and has another companion. */
const killCompanion = async () => {
  const pid = companionPid()
  process.kill(pid, 'SIGKILL')
  await waitFor(() => ![0, pid].includes(companionPid()), { what: 'the next companion' })
}

describe('the bridge to an MCP client', () => {
  it('starts the companion, carries lines both ways and ends with its client', async () => {
    await open()
    say({ id: 'two', method: 'tools/list' })
    expect((await answer('two')).result.heard).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
    ])
    bridge.child.stdin?.end()
    expect(await bridge.exited).toEqual({ code: 0, signal: null })
    for (const line of bridge.stdout().trimEnd().split('\n'))
      expect(JSON.parse(line)).toHaveProperty('jsonrpc')
    expect(bridge.stderr()).toBe('')
  })

  it('puts a new companion into the same session, without the client seeing it', async () => {
    await open()
    await killCompanion()
    say({ id: 2, method: 'tools/list' })
    const { result } = await answer(2)
    expect(result.pid).toBe(companionPid())
    expect(result.heard).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
    expect(bridge.stdout()).not.toContain('unicli-replay')
  })

  it('answers for a companion that went away, and tells a call that may have acted from a look', async () => {
    await open()
    say({ id: 2, method: 'slow' }, { id: 3, method: 'tools/call' }, { id: 4, method: 'tools/list' })
    await answer(4)
    await killCompanion()
    expect((await answer(3)).error.data).toMatchObject({ code: 'outcome_unknown', retryable: false })
    say({ id: 5, method: 'tools/list' })
    // What only looks was asked again, of a companion that does not answer it either.
    expect((await answer(5)).result.heard).toEqual([
      'initialize',
      'notifications/initialized',
      'slow',
      'tools/list',
    ])
    await killCompanion()
    expect((await answer(2)).error).toMatchObject({
      code: -32603,
      data: { code: 'link_lost', retryable: true },
    })
    say({ id: 6, method: 'tools/list' })
    expect((await answer(6)).result.pid).toBe(companionPid())
  })

  it('replays nothing for a client that opens no session', async () => {
    say({ id: 1, method: 'tools/list' })
    await answer(1)
    await killCompanion()
    say({ id: 2, method: 'server/discover' })
    expect((await answer(2)).result.heard).toEqual(['server/discover'])
  })

  it('leaves a companion that was stopped alone until the client speaks', async () => {
    await open()
    await cli.run(['daemon', 'stop'])
    expect(companionPid()).toBe(0)
    expect(existsSync(pathsOf(cli.env).stopped)).toBe(true)
    say({ id: 2, method: 'tools/list' })
    expect((await answer(2)).result.heard).toEqual(['initialize', 'notifications/initialized', 'tools/list'])
  })

  it('carries messages larger than a frame', async () => {
    await open()
    say({ id: 2, method: `x${'猫'.repeat(1_000_000)}` })
    expect((await answer(2)).result.heard.at(-1)).toHaveLength(1_000_001)
  })
})
