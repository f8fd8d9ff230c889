import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { STEPS } from '../steps/index.ts'
import { type Library, openLibrary } from './catalogue.ts'
import { MAX_ADAPTER_BYTES } from './load.ts'

let dir: TempDir
let log: ReturnType<typeof recordingLog>
const open: Library[] = []

beforeEach(async () => {
  dir = await makeTempDir()
  log = recordingLog()
})
afterEach(async () => {
  for (const library of open.splice(0)) library.close()
  await dir.remove()
})

function adapter(site: string, name: string, over = ''): string {
  return `site: ${site}\nname: ${name}\ntype: web-api\nstrategy: public\neffect: read\npipeline:\n  - fetch: https://${site}.example/\n${over}`
}

function put(folder: 'packaged' | 'overlay', path: string, content: string): string {
  const file = join(dir.path, folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(`${file}.part`, content)
  renameSync(`${file}.part`, file)
  return file
}

function library(onChange?: () => void): Library {
  const opened = openLibrary({
    steps: STEPS,
    packaged: join(dir.path, 'packaged'),
    overlay: join(dir.path, 'overlay'),
    log,
    ...(onChange === undefined ? {} : { onChange }),
  })
  open.push(opened)
  return opened
}

const adapters = (catalogue: Library): string[] =>
  catalogue.list().flatMap(({ id, adapterPath }) => (adapterPath === null ? [] : [id]))

describe('the catalogue', () => {
  it('holds packaged adapters, the person’s own, and the steps that are operations', () => {
    put('packaged', 'demo/one.yaml', adapter('demo', 'one'))
    const mine = put('overlay', 'demo/two.yaml', adapter('demo', 'two'))
    const catalogue = library()
    expect(adapters(catalogue)).toEqual(['demo.one', 'demo.two'])
    expect(catalogue.get('demo.two')?.adapterPath).toBe(mine)
    expect(catalogue.get('browser.click')).toMatchObject({
      effect: 'write',
      needs: ['browser'],
      positional: ['target'],
    })
    expect(catalogue.get('browser.type')?.positional).toEqual(['text'])
    expect(catalogue.get('demo.none')).toBeNull()
    expect(catalogue.faults()).toEqual([])
    const ids = catalogue.list().map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
  })

  it('gives every operation of a step an example that its arguments take', () => {
    const steps = library().list()
    expect(steps.length).toBeGreaterThan(5)
    for (const { id, args, example } of steps)
      expect([id, args.safeParse(example).success]).toEqual([id, true])
  })

  it('prefers the person’s own adapter over the packaged one, as long as it is sound', () => {
    const packaged = put('packaged', 'demo/one.yaml', adapter('demo', 'one'))
    const mine = put('overlay', 'demo/one.yaml', adapter('demo', 'one', 'description: Mine.\n'))
    const catalogue = library()
    expect(catalogue.get('demo.one')).toMatchObject({ doc: 'Mine.', adapterPath: mine })
    put('overlay', 'demo/one.yaml', 'site: [')
    catalogue.reload()
    expect(catalogue.get('demo.one')?.adapterPath).toBe(packaged)
    expect(catalogue.faults()).toMatchObject([{ file: mine }])
  })

  it('names file and line of each bad adapter, and gives all others', () => {
    put('packaged', 'demo/good.yaml', adapter('demo', 'good'))
    const bad = put('packaged', 'demo/bad.yaml', adapter('demo', 'bad', 'colums: [a]\n'))
    const stray = put('packaged', 'stray.yaml', adapter('demo', 'stray'))
    const yml = put('packaged', 'demo/short.yml', adapter('demo', 'short'))
    const upper = put('packaged', 'demo/Upper.yaml', adapter('demo', 'upper'))
    const huge = put(
      'packaged',
      'demo/huge.yaml',
      `${adapter('demo', 'huge')}# ${'x'.repeat(MAX_ADAPTER_BYTES)}`,
    )
    put('packaged', 'demo/notes.txt', 'not looked at')
    put('packaged', '.git/config.yaml', 'not looked at')
    const catalogue = library()
    expect(adapters(catalogue)).toEqual(['demo.good'])
    const faults = new Map(catalogue.faults().map(fault => [fault.file, fault]))
    expect([...faults.keys()].toSorted()).toEqual([bad, stray, yml, upper, huge].toSorted())
    expect(faults.get(bad)).toMatchObject({
      line: 8,
      reason: expect.stringContaining('did you mean "columns"?'),
    })
    expect(faults.get(yml)?.reason).toContain('.yaml')
    expect(faults.get(huge)?.reason).toContain('larger')
    expect(log.lines.filter(line => line.level === 'warn')).toHaveLength(5)
  })

  it('follows no link out of its folder', () => {
    const outside = put('packaged', 'demo/secret.yaml', adapter('demo', 'secret'))
    mkdirSync(join(dir.path, 'overlay', 'demo'), { recursive: true })
    symlinkSync(outside, join(dir.path, 'overlay', 'demo', 'secret.yaml'))
    symlinkSync(join(dir.path, 'packaged', 'demo'), join(dir.path, 'overlay', 'linked'))
    symlinkSync('nowhere', join(dir.path, 'overlay', 'demo', 'dangling.yaml'))
    const catalogue = library()
    expect(catalogue.get('demo.secret')?.adapterPath).toBe(outside)
    const faults = catalogue.faults()
    expect(faults.filter(fault => fault.reason.includes('outside of the adapters folder'))).toHaveLength(2)
    expect(faults).toHaveLength(3)
  })

  it('lets nobody take the name of its own operations', () => {
    const file = put('overlay', 'browser/click.yaml', adapter('browser', 'click'))
    const catalogue = library()
    expect(catalogue.get('browser.click')?.source.kind).toBe('step')
    expect(catalogue.faults()).toMatchObject([{ file, reason: expect.stringContaining('belongs to unicli') }])
  })

  it('is searched in two languages and guesses names', () => {
    put(
      'packaged',
      'demo/one.yaml',
      adapter('demo', 'one', 'description: Lists the weather.\naliases: [天气]\n'),
    )
    const catalogue = library()
    expect(catalogue.search('weather', 3)[0]?.operation.id).toBe('demo.one')
    expect(catalogue.search('今天天气', 3)[0]?.operation.id).toBe('demo.one')
    expect(catalogue.nearest('dmo.one')).toEqual(['demo.one'])
  })
})

describe('a catalogue that is watched', () => {
  /** Each call resolves at the next change that was told. */
  function changes(): { onChange: () => void; next: () => Promise<void> } {
    let told = 0
    let taken = 0
    let wake: () => void = () => undefined
    return {
      onChange: () => {
        told++
        wake()
      },
      next: async () => {
        while (told === taken)
          await new Promise<void>(resolve => {
            wake = resolve
          })
        taken = told
      },
    }
  }
  const until = async (next: () => Promise<void>, holds: () => boolean): Promise<void> => {
    while (!holds()) await next()
  }

  it('sees adapters come, break, mend and go, in folders that are new too', async () => {
    const { onChange, next } = changes()
    const catalogue = library(onChange)
    catalogue.watch()
    const file = put('overlay', 'fresh/one.yaml', adapter('fresh', 'one'))
    await until(next, () => catalogue.get('fresh.one') !== null)
    put('overlay', 'fresh/two.yaml', adapter('fresh', 'two'))
    await until(next, () => catalogue.get('fresh.two') !== null)
    put('overlay', 'fresh/one.yaml', 'site: [')
    await until(next, () => catalogue.get('fresh.one') === null)
    expect(catalogue.faults()).toMatchObject([{ file }])
    expect(catalogue.search('fresh', 9).map(hit => hit.operation.id)).toEqual(['fresh.two'])
    put('overlay', 'fresh/one.yaml', adapter('fresh', 'one', 'aliases: [mended]\n'))
    await until(next, () => catalogue.search('mended', 1).length === 1)
    expect(catalogue.faults()).toEqual([])
    rmSync(join(dir.path, 'overlay', 'fresh'), { recursive: true })
    await until(next, () => catalogue.get('fresh.two') === null)
    put('overlay', 'fresh/three.yaml', adapter('fresh', 'three'))
    await until(next, () => catalogue.get('fresh.three') !== null)
  })

  it('hands out the same operation while its file stays as it is', () => {
    put('overlay', 'demo/one.yaml', adapter('demo', 'one'))
    const catalogue = library()
    const before = catalogue.get('demo.one')
    expect(catalogue.reload()).toBe(false)
    put('overlay', 'demo/two.yaml', adapter('demo', 'two'))
    expect(catalogue.reload()).toBe(true)
    expect(catalogue.get('demo.one')).toBe(before)
  })
})
