import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Envelope } from '../../../shared/envelope.ts'
import { Failure } from '../../../shared/failures.ts'
import { operationOf, type Script } from '../../../tests/support/scripted-kernel.ts'
import { type CliStage, cliStage } from '../../../tests/support/typed-command.ts'
import type { RunRecord } from '../../ports/state.ts'
import { ALL_COMMANDS } from './commands/index.ts'
import { FORMATS } from './output/present.ts'

const search = operationOf('mediawiki.search', {
  doc: 'Search pages of the wiki.',
  args: z.strictObject({ query: z.string(), limit: z.int().default(10) }),
  positional: ['query'],
  example: { query: 'cat' },
})
const scripts: Script[] = [
  { operation: search, run: ({ args }) => [{ title: args.query, words: 12 }] },
  {
    operation: operationOf('mediawiki.whoami', { doc: 'Tell who is logged in.' }),
    run: () => ({ name: '山田' }),
  },
  {
    operation: operationOf('hackernews.top', { alternatives: ['hackernews.best'] }),
    run: () => {
      throw new Failure('auth_required', { site: 'hackernews', reason: 'no session' })
    },
  },
]
const run: RunRecord = {
  run_id: 'r1',
  operation: 'mediawiki.search',
  surface: 'http',
  args: { query: 'cat' },
  options: {},
  started_at: Date.UTC(2026, 10, 29),
  profile: 'Work',
  state: 'failed',
  duration_ms: 12,
  code: 'timeout',
  meta: null,
  error: null,
  steps: [
    { run_id: 'r1', index: 0, path: '0', step: 'fetch', started_at: 0, duration_ms: 11, code: 'timeout' },
  ],
  requests: [],
  evidence: [],
  shape: null,
}

let stage: CliStage
beforeEach(async () => {
  const hops = [
    { hop: 'companion', ok: true, cause: 'ok', detail: 'It runs.', mend: null },
    { hop: 'browser', ok: false, cause: 'no_host', detail: 'No browser is linked.', mend: 'unicli setup' },
  ]
  stage = await cliStage(scripts, { runs: [run], hops })
})
afterEach(() => stage.remove())

const failureOf = (out: string) => {
  const envelope = Envelope.parse(JSON.parse(out))
  if (envelope.ok) throw new Error('it succeeded')
  return envelope
}

describe('an operation', () => {
  it('answers a program with the envelope of the kernel', async () => {
    const { code, out, err } = await stage.type(['mediawiki', 'search', '東京'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(Envelope.parse(JSON.parse(out))).toMatchObject({ data: [{ title: '東京', words: 12 }] })
  })

  it('answers a person with a table', async () => {
    const { out } = await stage.typeAtTerminal(['mediawiki', 'search', '東京'])
    expect(out).toBe('title  words\n東京      12\n')
  })

  it('is also called by its id', async () => {
    const { out } = await stage.type(['-f', 'compact', 'mediawiki.search', 'x'])
    expect(out).toBe('title\twords\nx\t12\n')
  })

  it('hands the run options on, wherever they stand', async () => {
    const argv = '--profile Work mediawiki --timeout 1.5s search --dry-run q --strategy cookie --session s'
    await stage.type(argv.split(' '))
    expect(stage.kernel.invocations[0]).toMatchObject({
      operation: 'mediawiki.search',
      args: { query: 'q' },
      options: { profile: 'Work', timeout_ms: 1500, dry_run: true, strategy: 'cookie', session: 's' },
      surface: 'cli',
    })
  })

  it.each([
    ['--timeout', 'soon', /--timeout takes a time such as/],
    ['--timeout', '0', /--timeout takes a time such as/],
    ['--timeout', '90m', /timeout_ms/],
    ['--strategy', 'cooky', /--strategy does not know "cooky"/],
    ['--format', 'jsn', /--format does not know "jsn"/],
    ['--format', 'JSON', /it takes json, yaml/],
  ])('refuses %s %s', async (flag, value, message) => {
    const { code, out } = await stage.type(['mediawiki', 'search', 'q', flag, value])
    expect(code).toBe(2)
    expect(failureOf(out).error.message).toMatch(message)
    expect(stage.kernel.invocations).toEqual([])
  })

  it('fails in words for a person, with where, what to do and the exit code of the table', async () => {
    const { code, out, err } = await stage.typeAtTerminal(['hackernews', 'top'])
    expect({ code, out }).toEqual({ code: 77, out: '' })
    expect(err).toBe(
      [
        'error hackernews top: hackernews wants a login (no session). [auth_required]',
        '  where  adapters/hackernews/top.yaml',
        '  do     Run "unicli auth login hackernews", or log in to it in the linked browser; then call again.',
        '',
      ].join('\n'),
    )
  })

  it('fails with the envelope alone for a program, and tells a person whose stdout goes elsewhere as well', async () => {
    const forProgram = await stage.type(['hackernews', 'top'])
    expect(forProgram).toMatchObject({ code: 77, err: '' })
    expect(failureOf(forProgram.out).exit_code).toBe(77)
    const piped = await stage.typeAtTerminal(['hackernews', 'top'], { tty: { stdout: false } })
    expect(failureOf(piped.out).error.code).toBe('auth_required')
    expect(piped.err).toContain('wants a login')
  })

  it('shows usage and exits 2 when an argument is missing', async () => {
    const { code, out, err } = await stage.typeAtTerminal(['mediawiki', 'search'])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('Usage: unicli mediawiki search <query> [options]')
    expect(err).toContain('Example: unicli mediawiki search cat')
  })
})

describe('the format', () => {
  it('is said by the flag, then the environment, then the settings', async () => {
    const formatOf = async (argv: string[], env: Record<string, string> = {}) =>
      (await stage.type(['mediawiki', 'whoami', ...argv], { env })).out
    stage.config.set('output.format', 'compact')
    expect(await formatOf([])).toBe('name: 山田\n')
    expect(await formatOf([], { UNICLI_OUTPUT: 'csv' })).toBe('name\n山田\n')
    expect(await formatOf(['-f', 'md'], { UNICLI_OUTPUT: 'csv' })).toContain('| name  | 山田')
  })

  it('is also kept when the command line itself is wrong', async () => {
    const { out, err } = await stage.type(['mediawiki', 'search', 'q', '--limt', '1', '-f', 'table'])
    expect(out).toBe('')
    expect(err).toContain('Did you mean --limit?')
  })

  it('falls back, and says so, when the setting is broken, so that it can be mended', async () => {
    writeFileSync(stage.config.path(), 'output:\n  format: loud\n')
    const { code, err } = await stage.type(['config', 'set', 'output.format', 'yaml'])
    expect(code).toBe(0)
    expect(err).toContain('output.format')
    expect(stage.config.get('output.format')).toBe('yaml')
  })
})

describe('colours', () => {
  const escapes = (text: string) => text.includes('\u001b[')
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ TERM: 'dumb' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ])('with %j and a terminal: %s, are used: %s', async (env, tty, used) => {
    const { out } = await stage.type(['list', '-f', 'table'], {
      env,
      tty: { stdout: tty, columns: tty ? 80 : null },
    })
    expect(escapes(out)).toBe(used)
  })
})

describe('a word that is unknown', () => {
  it.each([
    [['lst'], 'list'],
    [['mediawki'], 'mediawiki'],
    [['mediawiki', 'serch'], 'mediawiki.search'],
    [['describe', 'mediawiki.nope'], 'mediawiki.search'],
    [['list', '--site', 'mediawki'], 'mediawiki.search'],
  ])('%j is answered with %s', async (argv, near) => {
    const { code, out } = await stage.type(argv)
    expect(code).toBe(2)
    expect(failureOf(out).error).toMatchObject({ code: 'unknown_operation' })
    expect(failureOf(out).error.suggestion).toContain(near)
  })

  it('is not found behind an option that only an operation knows', async () => {
    const { code, err } = await stage.typeAtTerminal(['--limit', '5', 'mediawiki', 'search'])
    expect(code).toBe(2)
    expect(err).toContain("Unknown option '--limit'")
  })
})

describe('commands of our own', () => {
  it('answer with envelopes that keep the schema', async () => {
    for (const argv of [
      ['list'],
      ['search', 'wiki'],
      ['describe', 'mediawiki', 'search'],
      ['steps'],
      ['steps', 'fetch'],
      ['doctor'],
      ['runs'],
      ['runs', 'show', 'r1'],
      ['config'],
      ['config', 'path'],
      ['approvals'],
    ]) {
      const { code, out } = await stage.type(argv)
      expect({ argv, code }).toEqual({ argv, code: 0 })
      expect(Envelope.parse(JSON.parse(out)).meta.site).toBe('unicli')
    }
  })

  it('list operations, of all sites or of one', async () => {
    const ids = async (argv: string[]) =>
      JSON.parse((await stage.type(argv)).out).data.map((each: { operation: string }) => each.operation)
    expect(await ids(['list'])).toEqual(['hackernews.top', 'mediawiki.search', 'mediawiki.whoami'])
    expect(await ids(['list', '--site', 'mediawiki'])).toEqual(['mediawiki.search', 'mediawiki.whoami'])
    expect(await ids(['mediawiki'])).toEqual(['mediawiki.search', 'mediawiki.whoami'])
    expect(await ids(['search', 'logged', 'in', '--limit', '1'])).toEqual(['mediawiki.whoami'])
  })

  it('describe an operation with its schema and its example as it is typed', async () => {
    const { out } = await stage.type(['describe', 'mediawiki', 'search'])
    expect(JSON.parse(out).data).toMatchObject({
      operation: 'mediawiki.search',
      args: { properties: { query: { type: 'string' } }, required: ['query'] },
      example_command: 'unicli mediawiki search cat',
    })
  })

  it('show runs and their steps', async () => {
    expect((await stage.typeAtTerminal(['runs', 'list', '--state', 'failed'])).out).toMatch(
      /^run_id .*\nr1 .*failed/,
    )
    expect((await stage.type(['runs', 'list', '--state', 'ok', '-f', 'json'])).out).toContain('"data":[]')
    const shown = await stage.typeAtTerminal(['runs', 'show', 'r1'])
    expect(shown.out).toMatch(
      /mediawiki\.search failed in 12 ms \[r1\][\s\S]*2026-11-29[\s\S]*fetch +11 {2}timeout/,
    )
    expect((await stage.type(['runs', 'show', 'r2'])).code).toBe(66)
    expect((await stage.type(['runs', 'list', '--state', 'lost'])).code).toBe(2)
    expect((await stage.type(['runs', 'list', '--limit', '-1'])).code).toBe(2)
  })

  it('print the state of each hop and what mends it', async () => {
    const { out } = await stage.typeAtTerminal(['doctor'])
    expect(out).toBe(
      'ok  companion  It runs. [ok]\nBAD browser    No browser is linked. [no_host]  → unicli setup\n',
    )
  })

  it('read and write settings', async () => {
    expect((await stage.type(['config', 'set', 'http.port', '8080', '-f', 'table'])).out).toBe(
      'http.port = 8080\n',
    )
    expect((await stage.typeAtTerminal(['config', 'get', 'http.port'])).out).toBe('8080\n')
    expect((await stage.typeAtTerminal(['config', 'unset', 'http.port'])).out).toBe('http.port is unset.\n')
    expect((await stage.typeAtTerminal(['config', 'get', 'http.port'])).out).toBe('0\n')
    expect((await stage.typeAtTerminal(['config', 'path'])).out).toBe(`${stage.config.path()}\n`)
    expect((await stage.type(['config', 'get', 'http.prt'])).code).toBe(78)
  })

  it('answer questions in words', async () => {
    stage.kernel.ask({
      id: 'a2',
      operation: 'x.y',
      effect: 'read',
      text: 't',
      choices: [],
      asked_at: 1,
      expires_at: 2,
    })
    await stage.typeAtTerminal(['approvals', 'allow', 'a2', '--reply', '家'])
    expect(stage.kernel.answers.at(-1)).toEqual(['a2', true, 'once', '家'])
  })

  it('answer approvals', async () => {
    const approval = {
      id: 'a1',
      operation: 'x.y',
      effect: 'write',
      text: 't',
      asked_at: 0,
      expires_at: Date.now() + 9500,
    }
    stage.kernel.ask(approval)
    expect(JSON.parse((await stage.type(['approvals'])).out).data).toMatchObject([{ id: 'a1' }])
    expect((await stage.typeAtTerminal(['approvals', 'allow', 'a1'])).out).toBe('Allowed: a1\n')
    expect((await stage.type(['approvals', 'deny', 'a1'])).code).toBe(66)
    expect(stage.kernel.answers).toEqual([
      ['a1', true],
      ['a1', false],
    ])
  })

  it('need their operands and take no more', async () => {
    for (const argv of [
      ['describe'],
      ['search'],
      ['runs', 'show'],
      ['config', 'set', 'a'],
      ['list', 'x'],
      ['completion', 'tcsh'],
    ]) {
      const { code, err } = await stage.typeAtTerminal(argv)
      expect({ argv, code }).toEqual({ argv, code: 2 })
      expect(err).toMatch(/Usage: unicli .*\nExample: .*unicli /)
    }
  })
})

describe('help', () => {
  it('begins with a short screen', async () => {
    for (const argv of [[], ['--help'], ['help'], ['-q']]) {
      const { code, out } = await stage.type(argv)
      expect(code).toBe(0)
      expect(out.split('\n').length).toBeLessThan(12)
      expect(out).toContain('unicli setup')
    }
    expect((await stage.type(['--version'])).out).toBe('1.2.3\n')
  })

  it('exists for every command, with one to three examples', async () => {
    for (const { name, doc, examples } of ALL_COMMANDS) {
      const words = name.split(' ')
      const viaHelp = await stage.type(['help', ...words])
      expect({ name, code: viaHelp.code, doc: doc.endsWith('.') }).toEqual({ name, code: 0, doc: true })
      expect(examples.length).toBeGreaterThan(0)
      expect(examples.length).toBeLessThanOrEqual(3)
      for (const example of examples) expect(viaHelp.out).toContain(example)
    }
    expect((await stage.type(['runs', 'show', '--help'])).out).toBe(
      (await stage.type(['help', 'runs', 'show'])).out,
    )
  })

  it('exists for groups, sites and operations', async () => {
    expect((await stage.type(['help', 'config'])).out).toContain('config unset')
    expect((await stage.type(['config', '-h'])).out).toContain('config unset')
    expect((await stage.type(['mediawiki', '-h'])).out).toContain('search  Search pages')
    const help = (await stage.type(['mediawiki', 'search', '-h'])).out
    expect((await stage.type(['help', 'mediawiki', 'search'])).out).toBe(help)
    expect((await stage.type(['help', 'mediawiki.search'])).out).toBe(help)
    for (const format of FORMATS)
      expect((await stage.type(['help', 'formats'])).out).toContain(`  ${format} `)
    expect((await stage.type(['help', 'nothing'])).code).toBe(2)
  })
})

it('refuses a request that is none', async () => {
  await expect(stage.send({ argv: 'list' })).rejects.toMatchObject({ code: 'frame_invalid' })
})
