import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readDiscovery } from '../../companion/daemon/discovery.ts'
import { type Paths, pathsOf } from '../../companion/state/paths.ts'
import { Envelope } from '../../shared/envelope.ts'
import { VERSION } from '../../shared/version.ts'
import { bundleCli, type CliBundle, type CliHome, cliHome } from '../support/cli-program.ts'
import { findExecutable } from '../support/executables.ts'
import { isAlive, spawnProcess, waitFor } from '../support/processes.ts'
import { describeNeeding } from '../support/requirement.ts'

let bundle: CliBundle
beforeAll(async () => {
  bundle = await bundleCli()
})
afterAll(() => bundle.remove())

let cli: CliHome
let paths: Paths
beforeEach(async () => {
  cli = await cliHome(bundle)
  paths = pathsOf(cli.env)
})
afterEach(() => cli.remove())

const companionPid = () => readDiscovery(paths)?.pid ?? 0
const failureOf = (out: string) => {
  const envelope = Envelope.parse(JSON.parse(out))
  if (envelope.ok) throw new Error('it succeeded')
  return envelope.error
}

describe('a command', () => {
  it('starts the companion when none runs, and the next one finds it', async () => {
    const first = await cli.run(['demo', 'pid', '--quiet'])
    expect(first).toMatchObject({ code: 0, err: '' })
    const pid = JSON.parse(first.out).data
    expect(isAlive(pid)).toBe(true)
    expect(pid).toBe(companionPid())
    expect(JSON.parse((await cli.run(['demo', 'pid'])).out).data).toBe(pid)
  })

  it('has the exit code of its answer', async () => {
    expect((await cli.run(['demo', 'login'])).code).toBe(77)
    expect((await cli.run(['demo', 'echo'])).code).toBe(2)
    expect((await cli.run(['runs', 'show', 'x'])).code).toBe(66)
    expect((await cli.run(['list', '-f', 'table'])).code).toBe(0)
  })

  it('takes format and colours from the environment of its caller', async () => {
    const { out } = await cli.run(['list'], { env: { UNICLI_OUTPUT: 'table', FORCE_COLOR: '1' } })
    expect(out).toContain('\u001b[1m')
  })

  it('gives a large answer whole, also to a reader that is slow', async () => {
    const unicli = await cli.start(['demo', 'rows', '40000', '-f', 'csv'], { input: '' })
    unicli.child.stdout?.pause()
    await waitFor(() => (unicli.child.stdout?.readableLength ?? 0) > 0, { what: 'the first output' })
    unicli.child.stdout?.resume()
    expect(await unicli.exited).toEqual({ code: 0, signal: null })
    const lines = unicli.stdout().trimEnd().split('\n')
    expect(lines).toHaveLength(40_001)
    expect(lines.at(-1)).toBe(`39999,${'行39999'.padEnd(100, '猫')}`)
    expect(unicli.stdout()).not.toContain('\ufffd')
  })

  it('ends quietly when its reader stops reading', async () => {
    const script = `"${process.execPath}" "${bundle.file}" demo rows 40000 -q -f csv | head -n 1; echo "\${PIPESTATUS[0]}"`
    const shell = await spawnProcess('bash', ['-c', script], { env: cli.env, input: '' })
    await shell.exited
    expect(shell.stdout()).toBe('n,text\n141\n')
    expect(shell.stderr()).toBe('')
  })

  it('leaves stdin alone unless it is asked for', async () => {
    const unicli = await cli.start(['demo', 'echo', 'x', '-f', 'compact'])
    expect(await unicli.exited).toEqual({ code: 0, signal: null })
    expect(unicli.stdout()).toBe('x\n')
  })

  it('reads stdin where a dash stands, however its characters were cut', async () => {
    const unicli = await cli.start(['demo', 'echo', '-', '-f', 'compact'])
    const bytes = Buffer.from(`${'東京'.repeat(50_000)}\n`)
    for (let at = 0; at < bytes.length; at += 65_537)
      unicli.child.stdin?.write(bytes.subarray(at, at + 65_537))
    unicli.child.stdin?.end()
    await unicli.exited
    expect(unicli.stdout()).toBe(`${'東京'.repeat(50_000)}\n`)
    const object = await cli.run(['demo', 'echo', '--args', '-'], { input: '{"text":"猫"}' })
    expect(JSON.parse(object.out).data).toBe('猫')
  })
})

describe('Ctrl-C', () => {
  it('cancels the run, whose end is told', async () => {
    const unicli = await cli.start(['demo', 'wait'])
    await unicli.waitForLine(/demo\.wait: waiting/)
    unicli.kill('SIGINT')
    expect(await unicli.exited).toEqual({ code: 1, signal: null })
    expect(failureOf(unicli.stdout()).code).toBe('cancelled')
  })

  it('does not wait any longer at the second press', async () => {
    const unicli = await cli.start(['demo', 'hang'])
    await unicli.waitForLine(/demo\.hang …/)
    unicli.kill('SIGINT')
    unicli.kill('SIGINT')
    // Two signals may be told as one when they come at once.
    const pressAgain = () => {
      unicli.kill('SIGINT')
      return !unicli.isRunning()
    }
    await waitFor(pressAgain, { what: 'the end' })
    expect(await unicli.exited).toEqual({ code: 130, signal: null })
  })
})

describe('a companion that goes away', () => {
  it.each([
    ['demo wait', /demo\.wait: waiting/, 75, 'link_lost'],
    ['demo hang', /demo\.hang …/, 1, 'outcome_unknown'],
  ])('while "%s" runs ends it with what that means', async (argv, running, code, failure) => {
    const unicli = await cli.start(argv.split(' '))
    await unicli.waitForLine(running)
    process.kill(companionPid(), 'SIGKILL')
    expect((await unicli.exited).code).toBe(code)
    expect(failureOf(unicli.stdout()).code).toBe(failure)
    expect((await cli.run(['demo', 'pid'])).code).toBe(0)
  })

  it('by order says so', async () => {
    const unicli = await cli.start(['demo', 'wait', '-f', 'table'])
    await unicli.waitForLine(/demo\.wait: waiting/)
    expect((await cli.run(['daemon', 'stop', '-f', 'table'])).out).toBe('Stopped.\n')
    expect((await unicli.exited).code).toBe(69)
    expect(unicli.stderr()).toContain('it stops')
  })

  it('and cannot be started is told in words, and in an envelope', async () => {
    await writeFile(join(cli.home.root, 'file'), '')
    const env = { UNICLI_HOME: join(cli.home.root, 'file') }
    const { code, out } = await cli.run(['mediawiki', 'search', 'x'], { env })
    expect(code).not.toBe(0)
    const envelope = Envelope.parse(JSON.parse(out))
    expect(envelope.meta).toMatchObject({ site: 'mediawiki', command: 'search' })
    expect(envelope.exit_code).toBe(code)
    const doctor = await cli.run(['doctor'], { env })
    expect(doctor.code).toBe(0)
    expect(JSON.parse(doctor.out).data[0]).toMatchObject({
      hop: 'companion',
      ok: false,
      cause: 'companion_down',
    })
    const inWords = await cli.run(['list', '-f', 'table'], { env })
    expect(inWords).toMatchObject({ code, out: '' })
    expect(inWords.err).toMatch(/^error list: /)
  })
})

describe('what needs no companion', () => {
  it('starts none', async () => {
    expect(await cli.run(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' })
    expect((await cli.run(['-V'])).out).toBe(`${VERSION}\n`)
    for (const argv of [[], ['--help'], ['help']]) expect((await cli.run(argv)).out).toContain('unicli setup')
    for (const argv of [
      ['daemon'],
      ['daemon', '--help'],
      ['daemon', 'stop', '-h'],
      ['mcp', 'serve', '--help'],
      ['setup', '-h'],
    ])
      expect(await cli.run(argv)).toMatchObject({
        code: 0,
        out: expect.stringContaining('Usage: unicli'),
        err: '',
      })
    expect((await cli.run(['daemon', 'stat', '-f', 'table'])).err).toContain(
      'Did you mean unicli daemon start?',
    )
    expect(await cli.run(['daemon', 'status'])).toMatchObject({ code: 69 })
    expect(await cli.run(['daemon', 'stop', '-f', 'table'])).toMatchObject({
      code: 0,
      out: 'It was not running.\n',
    })
    expect(readDiscovery(paths)).toBeNull()
  })
})

describe('the daemon', () => {
  it('is started, told about and stopped', async () => {
    expect((await cli.run(['daemon', 'start', '-f', 'table'])).out).toMatch(/^Started: companion /)
    const pid = companionPid()
    expect((await cli.run(['daemon', 'start', '-f', 'table'])).out).toMatch(/^Runs already: companion /)
    expect(JSON.parse((await cli.run(['daemon', 'status'])).out).data).toMatchObject({ running: true, pid })
    expect(JSON.parse((await cli.run(['daemon', 'stop'])).out).data).toEqual({ outcome: 'stopped' })
    expect(isAlive(pid)).toBe(false)
  })

  it('has a log that can be followed until Ctrl-C', async () => {
    await cli.run(['daemon', 'start'])
    const log = join(paths.logs, 'companion.log')
    const line = (msg: string) =>
      `${JSON.stringify({ time: '2026-11-29T10:00:00.000Z', level: 'info', msg })}\n`
    await writeFile(log, line('one') + line('two'))
    expect((await cli.run(['daemon', 'logs', '-n', '1'])).out).toMatch(
      /^2026-11-29 10:00:00\.000 INFO {2}two\n$/,
    )
    const follower = await cli.start(['daemon', 'logs', '-f'])
    await follower.waitForLine(/two/)
    await writeFile(log, line('three'), { flag: 'a' })
    await follower.waitForLine(/three/)
    follower.kill('SIGINT')
    expect(await follower.exited).toEqual({ code: 0, signal: null })
  })
})

describeNeeding(
  { name: 'script (util-linux)', available: findExecutable('script') !== undefined },
  'a terminal',
  () => {
    /** Runs unicli on a pseudo terminal of 60 columns. */
    const atTerminal = async (argv: string) => {
      const command = `stty cols 60; "${process.execPath}" "${bundle.file}" ${argv}`
      return spawnProcess('script', ['-qec', command, '/dev/null'], {
        env: { ...cli.env, CI: '', TERM: 'xterm', SHELL: '/bin/sh' },
      })
    }

    it('gets a table that fits, with colours', async () => {
      const screen = await atTerminal('demo rows 2')
      await screen.exited
      expect(screen.stdout()).toContain('\u001b[1mn\u001b[22m')
      expect(screen.stdout()).toMatch(/0 {2}行0猫+…\r\n/)
    })

    it('is asked for an approval, and its answer counts', async () => {
      const screen = await atTerminal('demo ask')
      await screen.waitForLine(/東京 を消す/)
      await waitFor(() => screen.stdout().includes('Allow it?'), { what: 'the question' })
      screen.child.stdin?.write('y\n')
      expect((await screen.exited).code).toBe(0)
      expect(screen.stdout()).toContain('allowed')
    })
  },
)
