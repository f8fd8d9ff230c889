import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { operationOf } from '../../../tests/support/scripted-kernel.ts'
import { type CliStage, cliStage, type TypeOptions } from '../../../tests/support/typed-command.ts'

const operation = operationOf('wiki.edit', {
  args: z.strictObject({
    title: z.string().describe('which page'),
    text: z.string().optional(),
    line: z.int().nullable().default(0),
    ratio: z.number().optional(),
    minor: z.boolean().default(false),
    watch: z.boolean().default(true),
    kind: z.enum(['a', 'b']).optional(),
    tags: z.array(z.string()).optional(),
    sizes: z.array(z.int()).optional(),
    filter: z.record(z.string(), z.unknown()).optional(),
    either: z.union([z.number(), z.string()]).optional(),
    rows: z.array(z.strictObject({ n: z.int() })).optional(),
    any: z.unknown().optional(),
    no_cache: z.boolean().optional(),
    format: z.string().optional(),
    snake_case_name: z.string().optional(),
    password: z.string().optional(),
  }),
  positional: ['title', 'text', 'tags'],
  secrets: ['password'],
  example: { title: "it's a page", text: '-x', line: 3, minor: true, tags: ['a', 'b c'] },
})

let stage: CliStage
beforeEach(async () => {
  stage = await cliStage([{ operation, run: ({ args }) => args }])
})
afterEach(() => stage.remove())

/** The arguments as they reached the kernel. */
const given = async (argv: string[], options?: TypeOptions) => {
  const typed = await stage.type(['wiki', 'edit', ...argv], options)
  const [invocation] = stage.kernel.invocations
  if (invocation === undefined) throw new Error(typed.out)
  return invocation.args
}
const problem = async (argv: string[], options?: TypeOptions) => {
  const typed = await stage.type(['-f', 'json', 'wiki', 'edit', ...argv], options)
  expect(stage.kernel.invocations).toEqual([])
  const { error, exit_code } = JSON.parse(typed.out)
  expect({ code: typed.code, exit_code }).toEqual({ code: 2, exit_code: 2 })
  return { code: error.code, message: error.message, hint: error.suggestion }
}

describe('arguments of an operation', () => {
  it.each<[string[], Record<string, unknown>]>([
    [['T'], { title: 'T' }],
    [['T', 'x', 'a', 'b'], { title: 'T', text: 'x', tags: ['a', 'b'] }],
    [['--title', 'T', 'x'], { title: 'T', text: 'x' }],
    [['T', '--line', '-5', '--ratio=1.5'], { title: 'T', line: -5, ratio: 1.5 }],
    [['T', '--minor', '--no-watch'], { title: 'T', minor: true, watch: false }],
    [['T', '--no-minor', '--watch'], { title: 'T', minor: false, watch: true }],
    [['T', '--kind', 'b'], { title: 'T', kind: 'b' }],
    [['T', '--tags', 'a', '--tags', 'b'], { title: 'T', tags: ['a', 'b'] }],
    [['T', '--sizes', '1', '--sizes', '2'], { title: 'T', sizes: [1, 2] }],
    [['T', '--filter', '{"a":[1]}'], { title: 'T', filter: { a: [1] } }],
    [['T', '--rows', '{"n":1}', '--rows', '{"n":2}'], { title: 'T', rows: [{ n: 1 }, { n: 2 }] }],
    [['T', '--either', '5'], { title: 'T', either: 5 }],
    [['T', '--either', '5th'], { title: 'T', either: '5th' }],
    [['T', '--any', '{"a":1}'], { title: 'T', any: { a: 1 } }],
    [['T', '--any', 'word'], { title: 'T', any: 'word' }],
    [['T', '--arg-no-cache', '--arg-format', 'x'], { title: 'T', no_cache: true, format: 'x' }],
    [['T', '--snake-case-name', '猫'], { title: 'T', snake_case_name: '猫' }],
    [['--', '--title'], { title: '--title' }],
    [['12345678901234567890'], { title: '12345678901234567890' }],
    [['--args', '{"title":"T","line":1}', '--line', '2'], { title: 'T', line: 2 }],
    [[], {}],
  ])('%j are %j', async (argv, args) => {
    expect(await given(argv)).toEqual(args)
  })

  it('come from stdin where a dash stands, without the last line end', async () => {
    expect(await given(['T', '-'], { stdin: ['one\n', 'two\n'] })).toEqual({ title: 'T', text: 'one\ntwo' })
  })

  it('come from stdin as one object', async () => {
    const stdin = ['{"title":', '"東京"}\n']
    expect(await given(['--args', '-', '--line', '1'], { stdin })).toEqual({ title: '東京', line: 1 })
  })

  it.each<[string[], RegExp]>([
    [['T', '--line', 'five'], /--line takes a number, not "five"/],
    [['T', '--filter', '{a'], /--filter takes JSON, not "{a"/],
    [['--args', '[1]'], /--args is not a JSON object/],
    [['--args', '{'], /--args is not JSON/],
  ])('%j are refused before the kernel is asked', async (argv, message) => {
    const refused = await problem(argv)
    expect(refused).toMatchObject({ code: 'invalid_args', message: expect.stringMatching(message) })
  })

  it('are refused when there is one word too many', async () => {
    const two = await cliStage([{ operation: { ...operation, positional: ['title'] }, run: () => null }])
    const { out, code } = await two.type(['wiki', 'edit', 'T', 'extra'])
    expect(code).toBe(2)
    expect(JSON.parse(out).error.message).toContain('"extra" is one word too many')
    await two.remove()
  })

  it('name the flag that was meant', async () => {
    expect(await problem(['T', '--lin', '5'])).toMatchObject({ code: 'usage', hint: 'Did you mean --line?' })
  })

  it('say that a flag lacks its value', async () => {
    expect((await problem(['T', '--kind'])).message).toMatch(/--kind/)
  })

  it('cannot have stdin twice', async () => {
    const refused = await problem(['-', '-'], { stdin: ['x'] })
    expect(refused.message).toContain('stdin can be one argument only')
  })

  it('never show the value of a secret', async () => {
    const numeric = operationOf('wiki.pin', { args: z.strictObject({ pin: z.int() }), secrets: ['pin'] })
    const secret = await cliStage([{ operation: numeric, run: () => null }])
    const { out } = await secret.type(['wiki', 'pin', '--pin', 'hunter2'])
    expect(out).toContain('--pin takes a number')
    expect(out).not.toContain('hunter2')
    await secret.remove()
  })
})

describe('the help of an operation', () => {
  it('has its example as it is typed, and that example works', async () => {
    const { out } = await stage.type(['wiki', 'edit', '--help'])
    const example = /^ {2}unicli wiki edit (.*)$/m.exec(out)?.[1] ?? ''
    expect(example).toBe("'it'\\''s a page' --text -x --tags a --tags 'b c' --line 3 --minor")
    expect(
      await given(["it's a page", '--text', '-x', '--tags', 'a', '--tags', 'b c', '--line', '3', '--minor']),
    ).toEqual(operation.example)
  })

  it('says types, choices, defaults and what must be given, from the schema', async () => {
    const { out } = await stage.type(['wiki', 'edit', '-h'])
    expect(out).toMatch(/Usage: unicli wiki edit <title> \[text\] \[tags\.\.\.\] \[options\]/)
    expect(out).toMatch(/title +which page \[or --title\]/)
    expect(out).toMatch(/--line <number> +\(default 0\)/)
    expect(out).toMatch(/--kind <text> +\(one of a, b\)/)
    expect(out).toMatch(/--no-watch/)
    expect(out).not.toMatch(/--no-minor/)
    expect(out).toMatch(/--password <text> +\[secret: give -/)
    expect(out).toMatch(/--filter <json>/)
  })
})
