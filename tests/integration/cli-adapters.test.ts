import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SKELETON_STRATEGIES } from '../../companion/library/adapter-skeletons.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { createCliSurface } from '../../companion/surfaces/cli/surface.ts'
import { Envelope } from '../../shared/envelope.ts'
import { governorOf } from '../support/governor.ts'
import { type KernelRig, makeKernelRig } from '../support/kernel-rig.ts'
import { waitFor } from '../support/processes.ts'
import { ADAPTERS } from '../support/shipped-adapters.ts'
import { workbenchIn } from '../support/workbench.ts'

/** The commands about adapters, typed on the real surface over the real catalogue and kernel. */
let rig: KernelRig
beforeEach(async () => {
  rig = await makeKernelRig({
    http: () => ({
      open: () => ({
        request: async ({ url }) => {
          const text = JSON.stringify({ from: url })
          return { status: 200, url, headers: {}, text, bytes: Buffer.from(text) }
        },
        stream: () => Promise.reject(new Error('nothing streams here')),
        socket: () => Promise.reject(new Error('nothing talks here')),
        identity: async () => 'nobody',
      }),
    }),
  })
})
afterEach(() => rig.close())

interface Typed {
  code: number
  out: string
  err: string
  envelope: Envelope
}

async function type(...argv: string[]): Promise<Typed> {
  const { kernel, library, config, home } = rig
  const surface = createCliSurface({
    ...{ version: '1.2.3', kernel, config, steps: [...STEPS.values()] },
    governor: governorOf({}),
    ledger: { begin: noop, step: noop, request: noop, finish: noop, get: () => null, list: () => [] },
    evidence: rig.parts.evidence,
    adapters: workbenchIn(home, library.list),
    diagnose: async () => [],
  })
  const typed = { code: -1, out: '', err: '' }
  const tty = { stdin: false, stdout: false, stderr: false, columns: null }
  typed.code = await surface.run(
    { version: '1.2.3', argv, cwd: home, env: {}, tty },
    {
      out: text => {
        typed.out += text
      },
      err: text => {
        typed.err += text
      },
      effect: noop,
      stdin: () => Readable.from([]),
      signal: new AbortController().signal,
    },
  )
  return { ...typed, envelope: Envelope.parse(JSON.parse(typed.out === '' ? typed.err : typed.out)) }
}
const noop = () => undefined

const overlay = (...path: string[]) => join(rig.home, 'adapters', ...path)
const dataOf = ({ envelope }: Typed) => envelope.data as Record<string, string> & Record<string, string>[]
const demo = (site: string, name: string, url: string) =>
  `site: ${site}\nname: ${name}\ndescription: Ask ${name} of ${site} for a test.\ntype: web-api\nstrategy: public\neffect: read\npipeline:\n  - fetch: ${url}\n`
async function put(folder: string, site: string, name: string, url: string): Promise<string> {
  await mkdir(join(folder, site), { recursive: true })
  const file = join(folder, site, `${name}.yaml`)
  await writeFile(file, demo(site, name, url))
  return file
}

describe('unicli adapter new', () => {
  it.each(SKELETON_STRATEGIES)(
    'writes a sound adapter for the strategy %s, which an editor completes',
    async strategy => {
      const made = await type('adapter', 'new', 'example', strategy, '--strategy', strategy)
      expect(made.code).toBe(0)
      const file = overlay('example', `${strategy}.yaml`)
      expect(dataOf(made).file).toBe(file)
      const text = await readFile(file, 'utf8')
      expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/adapter\.schema\.json\n/)
      const schema = JSON.parse(await readFile(overlay('adapter.schema.json'), 'utf8'))
      const isAdapter = new Ajv2020({ validateFormats: false, allowUnionTypes: true }).compile(schema)
      expect(isAdapter(parse(text)), JSON.stringify(isAdapter.errors)).toBe(true)
      expect((await type('adapter', 'lint')).code).toBe(0)
      rig.library.reload()
      expect((await type('describe', `example.${strategy}`)).code).toBe(0)
    },
  )

  it('writes over nothing, and into a folder that is named', async () => {
    await mkdir(join(rig.home, 'mine'))
    expect((await type('adapter', 'new', 'example', 'a', '--to', 'mine')).code).toBe(0)
    expect(await readdir(join(rig.home, 'mine', 'example'))).toEqual(['a.yaml'])
    const again = await type('adapter', 'new', 'example', 'a', '--to', 'mine')
    expect(again).toMatchObject({ code: 2 })
    expect(again.envelope.error?.message).toContain('is there already')
    expect((await type('adapter', 'new', '../x', 'a')).code).toBe(2)
    expect(
      (await type('adapter', 'new', 'example', 'a', '--strategy', 'publik')).envelope.error?.suggestion,
    ).toContain('public')
  })
})

describe('an adapter of one’s own', () => {
  it('is ejected, changed, compared, and reset with a backup', async () => {
    expect((await type('adapter', 'diff', 'hackernews', 'top')).code).toBe(66)
    const ejected = await type('adapter', 'eject', 'hackernews', 'top')
    expect(dataOf(ejected)).toEqual({
      file: overlay('hackernews', 'top.yaml'),
      from: join(ADAPTERS, 'hackernews', 'top.yaml'),
    })
    expect((await type('adapter', 'eject', 'hackernews.top')).code).toBe(2)
    const text = await readFile(overlay('hackernews', 'top.yaml'), 'utf8')
    await writeFile(overlay('hackernews', 'top.yaml'), text.replace('List the stories', 'Show the stories'))
    rig.library.reload()
    expect(dataOf(await type('adapter', 'list'))).toEqual([
      {
        operation: 'hackernews.top',
        layer: 'own',
        file: overlay('hackernews', 'top.yaml'),
        replaces: join(ADAPTERS, 'hackernews', 'top.yaml'),
      },
    ])
    const { diff } = dataOf(await type('adapter', 'diff', 'hackernews', 'top'))
    expect(diff).toMatch(/^-description: List the stories .*\n\+description: Show the stories /m)
    const reset = dataOf(await type('adapter', 'reset', 'hackernews', 'top'))
    expect(reset.now).toBe(join(ADAPTERS, 'hackernews', 'top.yaml'))
    expect(await readFile(reset.backup ?? '', 'utf8')).toContain('Show the stories')
    rig.library.reload()
    expect(rig.library.get('hackernews.top')?.doc).toMatch(/^List/)
    expect(rig.library.faults()).toEqual([])
    const missing = await type('adapter', 'eject', 'hackernews', 'tops')
    expect(missing.envelope.error).toMatchObject({
      code: 'not_found',
      suggestion: 'Did you mean hackernews.top?',
    })
  })

  it('is linted: each fault with file and line, and advice that is no fault', async () => {
    const file = await put(overlay(), 'demo', 'a', 'https://demo.example/')
    const fine = await type('adapter', 'lint', file)
    expect(dataOf(fine).map(({ reason }) => reason)).toEqual([
      'it names no columns: tables show whatever comes',
      'it does not say how it was verified',
    ])
    await writeFile(file, demo('demo', 'a', 'https://demo.example/').replace('effect', 'efect'))
    const secret = demo('demo', 'b', '"https://demo.example/${{ env.TOKEN }}"')
    await writeFile(overlay('demo', 'b.yaml'), secret)
    const bad = await type('adapter', 'lint', 'adapters')
    expect(bad.code).toBe(78)
    expect(bad.envelope.error?.details.faults).toEqual([
      `${file}:6: unknown key "efect"; did you mean "effect"?`,
      `${overlay('demo', 'b.yaml')}:8: env.TOKEN is not declared; add TOKEN to the adapter's key env`,
    ])
    expect((await type('adapter', 'lint', 'nowhere')).code).toBe(66)
  })

  it('is migrated when told, with a backup, and else only shown', async () => {
    await mkdir(overlay('old'), { recursive: true })
    const before =
      'schema_version: v2\ntype: web-api\nstrategy: public\noperation_effect: read\npipeline:\n  - fetch: { url: https://demo.example/x, params: { a: 1 } } # one\n'
    await writeFile(overlay('old', 'top.yaml'), before)
    const shown = dataOf(await type('adapter', 'migrate'))
    expect(shown).toMatchObject([{ file: overlay('old', 'top.yaml'), open: [], written: false }])
    expect(await readFile(overlay('old', 'top.yaml'), 'utf8')).toBe(before)
    await type('adapter', 'migrate', '--write')
    expect(await readFile(overlay('old', 'top.yaml'), 'utf8')).toContain('query: { a: 1 } } # one')
    const [backup = ''] = await readdir(overlay('.backup', 'old'))
    expect(await readFile(overlay('.backup', 'old', backup), 'utf8')).toBe(before)
    rig.library.reload()
    expect(rig.library.get('old.top')?.effect).toBe('read')
    expect(dataOf(await type('adapter', 'migrate'))).toEqual([])
  })
})

describe('folders of adapters', () => {
  it('win over one another: packaged, own, those of the setting, and the one of a call', async () => {
    const asked = async (...flags: string[]) => dataOf(await type('npm', 'search', ...flags)).from
    const [team, call] = [join(rig.home, 'team'), join(rig.home, 'call')]
    await put(overlay(), 'npm', 'search', 'https://own.example/')
    await put(call, 'npm', 'search', 'https://call.example/')
    await put(call, 'only', 'here', 'https://here.example/')
    rig.library.reload()
    expect(await asked()).toBe('https://own.example/')
    await put(team, 'npm', 'search', 'https://team.example/')
    await type('config', 'set', 'adapters.dirs', `[${team}]`)
    expect(await asked()).toBe('https://team.example/')
    expect(await asked('--adapter-dir', 'call')).toBe('https://call.example/')
    expect(dataOf(await type('only', 'here', `--adapter-dir=${call}`)).from).toBe('https://here.example/')
    expect((await type('only', 'here')).code).toBe(2)
    expect(await asked()).toBe('https://team.example/')
    expect((await type('list', '--adapter-dir', 'nowhere')).code).toBe(66)
    await type('config', 'unset', 'adapters.dirs')
    expect(await asked()).toBe('https://own.example/')
  })

  it('are watched, those of the setting too, also when one is made later', async () => {
    const team = join(rig.home, 'team')
    rig.library.watch()
    await type('config', 'set', 'adapters.dirs', `[${team}]`)
    expect(rig.library.faults()).toMatchObject([{ file: team, reason: expect.stringContaining('not there') }])
    await put(team, 'demo', 'a', 'https://one.example/')
    expect(rig.library.get('demo.a')?.adapterPath).toBe(join(team, 'demo', 'a.yaml'))
    expect(rig.library.faults()).toEqual([])
    await put(team, 'demo', 'b', 'https://two.example/')
    await waitFor(() => rig.library.get('demo.b') !== null, { what: 'the new adapter' })
    await writeFile(join(team, 'demo', 'bad.yaml'), 'site: [')
    await waitFor(() => rig.library.faults().length === 1, { what: 'the fault of the bad one' })
    expect(rig.library.get('demo.a')).not.toBeNull()
    await rm(join(team, 'demo', 'b.yaml'))
    await waitFor(() => rig.library.get('demo.b') === null, { what: 'the end of the deleted one' })
  })
})
