import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { assertExited, isAlive, spawnProcess, waitFor, withFreePort } from '../../support/processes.ts'
import { isolatedEnv, runDir } from '../../support/temp.ts'

const node = (code: string) => spawnProcess(process.execPath, ['-e', code])

describe('an isolated environment', () => {
  test('has its own homes, short enough for a unix socket, and hides the rest of the real one', async () => {
    vi.stubEnv('UNICLI_LEAK', 'secret')
    onTestFinished(() => void vi.unstubAllEnvs())
    const own = await isolatedEnv({ EXTRA: '1' })
    onTestFinished(own.remove)
    const child = await spawnProcess(process.execPath, ['-p', 'JSON.stringify(process.env)'], {
      env: own.env,
    })
    await child.exited
    const seen = JSON.parse(child.stdout())
    expect(seen).toMatchObject({
      HOME: own.home,
      UNICLI_HOME: own.unicliHome,
      EXTRA: '1',
      PATH: process.env.PATH,
    })
    expect(seen).not.toHaveProperty('UNICLI_LEAK')
    expect(statSync(own.env.XDG_RUNTIME_DIR ?? '').mode & 0o777).toBe(0o700)
    expect(join(own.unicliHome, 'run', 'a-socket-with-a-rather-long-name.sock').length).toBeLessThan(103)
  })

  test('is gone after remove, and a second one is another', async () => {
    const [first, second] = [await isolatedEnv(), await isolatedEnv()]
    expect(first.root).not.toBe(second.root)
    await Promise.all([first.remove(), second.remove()])
    expect(existsSync(first.root) || existsSync(second.root)).toBe(false)
  })

  test('the folder of the run stays the same within the run', () => {
    expect(runDir()).toBe(runDir())
    expect(statSync(runDir()).isDirectory()).toBe(true)
  })
})

describe('a spawned process', () => {
  test('tells a line that it printed before or after it was asked for', async () => {
    const child = await node('console.log("early 1"); setInterval(() => console.error("late 2"), 20)')
    onTestFinished(async () => void (await child.stop()))
    expect((await child.waitForLine(/early (\d)/))[1]).toBe('1')
    expect((await child.waitForLine(/late (\d)/))[1]).toBe('2')
    expect((await child.waitForLine(/early (\d)/))[1]).toBe('1')
  })

  test('that ends without the awaited line is named together with its output', async () => {
    const child = await node('console.log("this is all"); process.exitCode = 3')
    await expect(child.waitForLine(/never/)).rejects.toThrow(/ended before.*this is all/s)
    expect(await child.exited).toEqual({ code: 3, signal: null })
  })

  test('that does not exist is an error at once', async () => {
    await expect(spawnProcess('no-such-program', [])).rejects.toThrow('ENOENT')
  })

  test('is stopped together with its children, even when both ignore SIGTERM', async () => {
    const stubborn = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);'
    const child = await node(
      `${stubborn} const c = require("node:child_process").spawn(process.execPath, ["-e",
       ${JSON.stringify(`${stubborn} console.log("ready")`)}], { stdio: "inherit" }); console.log("child", c.pid)`,
    )
    const grandchild = Number((await child.waitForLine(/child (\d+)/))[1])
    await child.waitForLine(/ready/)
    expect(isAlive(grandchild)).toBe(true)
    expect(await child.stop({ graceMs: 50 })).toEqual({ code: null, signal: 'SIGKILL' })
    await assertExited(child.pid)
    await assertExited(grandchild)
  })

  test('reads the input that it was given', async () => {
    const child = await spawnProcess(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], {
      input: '你好',
    })
    await child.exited
    expect(child.stdout()).toBe('你好')
  })

  test.for([
    { end: 'process.exit(7)', exit: { code: 7, signal: null } },
    { end: 'process.kill(process.pid, "SIGTERM")', exit: { code: null, signal: 'SIGTERM' } },
  ])('left behind by a process that ends with $end dies with it', async ({ end, exit }) => {
    const own = await isolatedEnv()
    onTestFinished(own.remove)
    const bundle = join(own.root, 'processes.mjs')
    const source = join(import.meta.dirname, '../../support/processes.ts')
    await build({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile: bundle })
    const parent = await spawnProcess(process.execPath, [
      '--input-type=module',
      '-e',
      `const { spawnProcess } = await import(${JSON.stringify(pathToFileURL(bundle))})
       console.log('sleeper', (await spawnProcess('sleep', ['600'])).pid)
       ${end}`,
    ])
    const sleeper = Number((await parent.waitForLine(/sleeper (\d+)/))[1])
    expect(await parent.exited).toEqual(exit)
    await assertExited(sleeper)
  })
})

describe('waiting', () => {
  test('gives the value as soon as there is one', async () => {
    let calls = 0
    expect(
      await waitFor(() => (++calls > 2 ? 'here' : undefined), { what: 'the third call', everyMs: 1 }),
    ).toBe('here')
  })

  test('tells in the end what it waited for and what went wrong', async () => {
    const failing = waitFor(
      () => {
        throw new Error('not up')
      },
      { what: 'the server', timeoutMs: 5, everyMs: 1 },
    )
    await expect(failing).rejects.toMatchObject({
      message: expect.stringContaining('the server'),
      cause: { message: 'not up' },
    })
  })
})

test('a port lost to somebody else is replaced by another one', async () => {
  const tried: number[] = []
  const result = await withFreePort(async port => {
    tried.push(port)
    if (tried.length < 3) return 'taken'
    const server = createServer()
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    server.close()
    return { port }
  })
  expect(tried).toHaveLength(3)
  expect(result.port).toBe(tried[2])
})
