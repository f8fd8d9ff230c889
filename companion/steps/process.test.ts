import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { step } from '../../tests/support/kernel-world.ts'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'
import { assertExited, waitFor } from '../../tests/support/processes.ts'

let rig: LocalRig
beforeAll(async () => {
  rig = await makeLocalRig()
})
afterAll(() => rig.root.remove())

const node = (script: string, ...args: string[]) => ['node', '-e', script, ...args]
const programs = { executables: ['node', 'cat', 'sort', 'head', 'no-such-program'] }
const give = step('give', async (_, params) => params)
const exec = (options: object, plan = {}) => rig.run([{ exec: options }], { ...programs, ...plan })

describe('exec', () => {
  it('passes arguments as they are: no shell reads them', async () => {
    const argv = node('console.log(JSON.stringify(process.argv.slice(1)))', '$(id)', '; ls', '桥 "q"', '*')
    const { data } = await exec({ argv, parse: 'json' })
    expect(data).toEqual(['$(id)', '; ls', '桥 "q"', '*'])
  })

  it('feeds what it is given, text as it is and all else as JSON', async () => {
    expect((await exec({ argv: ['cat'], stdin: '一\n二' })).data).toBe('一\n二')
    expect((await exec({ argv: ['cat'], stdin: { a: [1] }, parse: 'json' })).data).toEqual({ a: [1] })
    expect((await exec({ argv: ['cat'] })).data).toBe('')
  })

  it.each([
    ['lines', 'a\nb\n', ['a', 'b']],
    ['ndjson', '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
    ['csv', 'a,b\n1,"2,3"\n', [{ a: '1', b: '2,3' }]],
  ])('reads its output as %s', async (parse, stdin, data) => {
    expect((await exec({ argv: ['cat'], stdin, parse })).data).toEqual(data)
  })

  it('fails when the output is not what it was said to be', async () => {
    expect((await exec({ argv: ['cat'], stdin: 'no', parse: 'json' })).error?.code).toBe('parse_failed')
    const bytes = node('process.stdout.write(Buffer.from([255, 254, 0]))')
    expect((await exec({ argv: bytes })).error?.code).toBe('parse_failed')
  })

  it('fails with what the program said when its exit code is not allowed', async () => {
    const argv = node('console.error("no such record"); process.exit(3)')
    const { error } = await exec({ argv })
    expect(error).toMatchObject({ code: 'command_failed', step: 'exec' })
    expect(error?.message).toMatch(/exit code 3: no such record/)
    expect((await exec({ argv, exit_codes: [0, 3] })).error).toBeNull()
  })

  it('starts only what the adapter declares', async () => {
    const { error } = await rig.run([{ exec: { argv: ['cat'] } }], { executables: ['sort'] })
    expect(error?.code).toBe('executable_not_declared')
    const filled = await rig.run(
      [{ exec: { argv: ['${{ args.word }}'] } }],
      { executables: ['cat'] },
      {
        args: { word: 'node' },
      },
    )
    expect(filled.error?.code).toBe('executable_not_declared')
  })

  it('says how to install a program that is not there', async () => {
    const { error } = await exec({ argv: ['no-such-program'] })
    expect(error?.code).toBe('unsupported')
    expect(error?.suggestion).toContain('no-such-program')
  })

  it('shows the program only declared names of the environment', async () => {
    vi.stubEnv('UNICLI_TEST_SHOWN', 'yes')
    vi.stubEnv('UNICLI_TEST_SECRET', 'no')
    const argv = node('console.log(JSON.stringify(process.env))')
    const { data } = await exec({ argv, parse: 'json' }, { env: ['UNICLI_TEST_SHOWN', 'UNICLI_TEST_GIVEN'] })
    expect(data).toMatchObject({ UNICLI_TEST_SHOWN: 'yes', PATH: process.env.PATH })
    expect(data).not.toHaveProperty('UNICLI_TEST_SECRET')
    const given = { argv, parse: 'json', env: { UNICLI_TEST_GIVEN: 7 } }
    expect((await exec(given, { env: ['UNICLI_TEST_GIVEN'] })).data).toMatchObject({ UNICLI_TEST_GIVEN: '7' })
    expect((await exec(given)).error?.code).toBe('adapter_invalid')
  })

  it('runs in a folder of the run, or in a granted one', async () => {
    const argv = node('console.log(process.cwd())')
    expect((await exec({ argv, parse: 'lines' })).data).toEqual([expect.stringContaining('unicli-run-')])
    expect((await exec({ argv, parse: 'lines', cwd: rig.folder })).data).toEqual([rig.folder])
    expect((await exec({ argv, cwd: '/' })).error?.code).toBe('path_not_granted')
  })

  it('is asked about with its whole argument list before it starts', async () => {
    rig.accesses.length = 0
    await exec({ argv: ['cat', '/etc/hostname'], cwd: rig.folder })
    expect(rig.accesses).toContainEqual({
      kind: 'execute',
      argv: [expect.stringMatching(/\/cat$/), '/etc/hostname'],
      cwd: rig.folder,
    })
  })

  it('ends a program that writes more than it may', async () => {
    const argv = node('for (;;) process.stdout.write("x".repeat(65536))')
    const { error } = await exec({ argv, max_bytes: 100_000 })
    expect(error?.message).toMatch(/more than 100000 bytes/)
  })

  it('ends the program and all that it started when the run ends', async () => {
    const inner = 'require("net").createServer().listen(0)'
    const argv = node(
      `const c = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" });
       require("fs").writeFileSync("pids", process.pid + " " + c.pid); setInterval(() => {}, 1000)`,
    )
    const abort = new AbortController()
    const running = rig.run([{ exec: { argv, cwd: rig.folder, effect: 'read' } }], programs, {
      signal: abort.signal,
    })
    const pids = await waitFor(
      async () => (await readFile(join(rig.folder, 'pids'), 'utf8')).split(' ').map(Number),
      {
        what: 'the program to start',
      },
    )
    abort.abort()
    expect((await running).error?.code).toBe('cancelled')
    expect(pids).toHaveLength(2)
    for (const pid of pids) await assertExited(pid)
  })

  it('ends what a program left running behind it', async () => {
    const inner = 'setInterval(() => {}, 1000)'
    const argv = node(
      `const c = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(inner)}], { stdio: "inherit" });
       c.unref(); console.log(c.pid); process.exit(0)`,
    )
    const { data } = await exec({ argv })
    await assertExited(Number(data))
  })

  it('leaves nothing of its temp folder behind', async () => {
    const argv = node('require("fs").writeFileSync("left", "x"); console.log(process.cwd())')
    const { data } = await exec({ argv, parse: 'lines' })
    const [folder = ''] = data as string[]
    await vi.waitFor(() => expect(readdir(folder)).rejects.toThrow(/ENOENT/))
  })
})

describe('pipe', () => {
  const pipe = (options: object, data: unknown = 'b\na\nb\n') =>
    rig.run([{ give: data }, { pipe: options }], { ...programs, steps: [give] })

  it('sends the data through programs side by side', async () => {
    const { data } = await pipe({
      commands: [
        ['sort', '-u'],
        ['head', '-n', '1'],
      ],
      parse: 'lines',
    })
    expect(data).toEqual(['a'])
  })

  it('takes more than a pipe holds', async () => {
    const count = node(
      'let n = 0; process.stdin.on("data", d => (n += d.length)).on("end", () => console.log(n))',
    )
    const { data } = await pipe({ commands: [['cat'], ['cat'], count], parse: 'json' }, 'x'.repeat(2_000_000))
    expect(data).toBe(2_000_000)
  })

  it('lets a reader end before its writer does', async () => {
    const endless = node(
      'const w = () => { while (process.stdout.write("y\\n".repeat(999))); }; process.stdout.on("drain", w); w()',
    )
    const { data, error } = await pipe({
      commands: [endless, ['head', '-n', '2']],
      parse: 'lines',
      exit_codes: [0, 1, 13],
    })
    expect(error).toBeNull()
    expect(data).toEqual(['y', 'y'])
  })

  it('fails when any of its programs does', async () => {
    const { error } = await pipe({ commands: [node('process.exit(4)'), ['cat']] })
    expect(error?.message).toMatch(/node failed: it ended with exit code 4/)
  })
})
