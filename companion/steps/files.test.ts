import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { step } from '../../tests/support/kernel-world.ts'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'

let rig: LocalRig
beforeEach(async () => {
  rig = await makeLocalRig()
})
afterEach(() => rig.root.remove())

const give = step('give', async (_, params) => params)
const run = (...pipeline: unknown[]) => rig.run(pipeline, { steps: [give] })
const write = (options: object) => run({ write_file: options })
const textOf = (name: string) => readFile(join(rig.folder, name), 'utf8')

describe('write_file', () => {
  it('writes text, JSON and CSV by the name of the file', async () => {
    await write({ path: 'a.txt', content: '桥' })
    expect(await textOf('a.txt')).toBe('桥')
    await write({ path: 'a.json', content: { 桥: [1] } })
    expect(JSON.parse(await textOf('a.json'))).toEqual({ 桥: [1] })
    await write({ path: 'a.csv', content: [{ name: '桥, 旧', n: 1 }] })
    expect(await textOf('a.csv')).toBe('name,n\n"桥, 旧",1\n')
  })

  it('answers the whole path and the size, and makes the folders on the way', async () => {
    const { data } = await write({ path: 'new/folder/a.txt', content: '桥' })
    expect(data).toEqual({ path: join(rig.folder, 'new/folder/a.txt'), bytes: 3 })
  })

  it('takes the data of the step before', async () => {
    await run({ give: ['x'] }, { write_file: { path: 'x.json' } })
    expect(JSON.parse(await textOf('x.json'))).toEqual(['x'])
  })

  it('leaves a file alone unless it is told to replace or to append', async () => {
    await write({ path: 'a.txt', content: 'one' })
    expect((await write({ path: 'a.txt', content: 'two' })).error?.code).toBe('already_exists')
    expect(await textOf('a.txt')).toBe('one')
    await write({ path: 'a.txt', content: 'two', mode: 'replace' })
    await write({ path: 'a.txt', content: '+', mode: 'append' })
    expect(await textOf('a.txt')).toBe('two+')
  })

  it('keeps the permissions of what it replaces, and leaves no part behind', async () => {
    await writeFile(join(rig.folder, 'run.sh'), 'old', { mode: 0o750 })
    await write({ path: 'run.sh', content: 'new', mode: 'replace' })
    expect((await stat(join(rig.folder, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readdir(rig.folder)).toEqual(['run.sh'])
  })

  it.each(['../out.txt', '/etc/out.txt', '~/out.txt', 'a/../../out.txt'])(
    'refuses %s, which is outside of the grant',
    async path => {
      expect((await write({ path, content: 'x' })).error?.code).toBe('path_not_granted')
    },
  )

  it('follows no link out of the grant, in any part of the path', async () => {
    const outside = join(rig.root.path, 'outside')
    await mkdir(outside)
    await writeFile(join(outside, 'secret'), 's')
    await symlink(outside, join(rig.folder, 'folder'))
    await symlink(join(outside, 'secret'), join(rig.folder, 'file'))
    await symlink(join(outside, 'not-yet'), join(rig.folder, 'dangling'))
    for (const path of ['folder/x', 'file', 'dangling'])
      for (const mode of ['create', 'replace', 'append'])
        expect((await write({ path, content: 'x', mode })).error?.code, `${mode} ${path}`).toBe(
          'path_not_granted',
        )
    expect((await run({ read_file: 'file' })).error?.code).toBe('path_not_granted')
    expect((await run({ read_file: 'folder/secret' })).error?.code).toBe('path_not_granted')
    expect(await readdir(outside)).toEqual(['secret'])
  })

  it('follows a link that stays inside', async () => {
    await writeFile(join(rig.folder, 'real'), 'one')
    await symlink(join(rig.folder, 'real'), join(rig.folder, 'name'))
    await write({ path: 'name', content: 'two', mode: 'replace' })
    expect(await textOf('real')).toBe('two')
  })

  it('appends to no file that has a second name elsewhere', async () => {
    const outside = join(rig.root.path, 'secret')
    await writeFile(outside, 's')
    await link(outside, join(rig.folder, 'hard'))
    expect((await write({ path: 'hard', content: 'x', mode: 'append' })).error?.code).toBe('file_failed')
    await write({ path: 'hard', content: 'x', mode: 'replace' })
    expect(await readFile(outside, 'utf8')).toBe('s')
  })

  it('asks with the path as it really is', async () => {
    await writeFile(join(rig.folder, 'real'), 'one')
    await symlink(join(rig.folder, 'real'), join(rig.folder, 'name'))
    await write({ path: 'name', content: 'two', mode: 'replace' })
    expect(rig.accesses).toEqual([{ kind: 'write_file', path: join(rig.folder, 'real') }])
  })
})

describe('read_file', () => {
  it('reads text, lines, JSON, CSV and bytes', async () => {
    await writeFile(join(rig.folder, 'a.csv'), '\uFEFFname,n\n桥,1\n')
    expect((await run({ read_file: 'a.csv' })).data).toBe('name,n\n桥,1\n')
    expect((await run({ read_file: { path: 'a.csv', parse: 'lines' } })).data).toEqual(['name,n', '桥,1'])
    expect((await run({ read_file: { path: 'a.csv', parse: 'csv' } })).data).toEqual([{ name: '桥', n: '1' }])
    const bytes = (await run({ read_file: { path: 'a.csv', parse: 'base64' } })).data
    expect(bytes).toBe(Buffer.from('\uFEFFname,n\n桥,1\n').toString('base64'))
  })

  it('reads other encodings when it is told which, and says so when it is none', async () => {
    await writeFile(join(rig.folder, 'gbk.txt'), Buffer.from([0xc7, 0xc5]))
    expect((await run({ read_file: { path: 'gbk.txt', encoding: 'gbk' } })).data).toBe('桥')
    expect((await run({ read_file: 'gbk.txt' })).error?.code).toBe('parse_failed')
    expect((await run({ read_file: { path: 'gbk.txt', encoding: 'klingon' } })).error?.message).toMatch(
      /klingon/,
    )
  })

  it.each([
    ['not-there', 'not_found'],
    ['.', 'file_failed'],
    ['/dev/zero', 'path_not_granted'],
    ['a\0b', 'file_failed'],
  ])('fails on %j with %s', async (path, code) => {
    expect((await run({ read_file: path })).error?.code).toBe(code)
  })

  it('reads no file over its limit', async () => {
    await writeFile(join(rig.folder, 'big'), 'x'.repeat(1001))
    expect((await run({ read_file: { path: 'big', max_bytes: 1000 } })).error?.message).toMatch(
      /limit of 1000/,
    )
  })
})

describe('write_temp', () => {
  it('gives the path to later steps and counts as no write', async () => {
    const { data, error } = await run(
      { give: '桥' },
      { write_temp: { name: 'a.txt', as: 'page' } },
      { read_file: '${{ vars.page }}' },
    )
    expect(error).toBeNull()
    expect(data).toBe('桥')
    expect(rig.accesses).toEqual([])
  })

  it('keeps two files of one name apart', async () => {
    const { data } = await run(
      { write_temp: { name: 'a', content: '1', as: 'one' } },
      { write_temp: { name: 'a', content: '2', as: 'two' } },
      { read_file: '${{ vars.one }}' },
    )
    expect(data).toBe('1')
  })

  it.each(['../a', '/a', 'a/b', 'a\\b', '..'])('takes no folder in the name: %s', async name => {
    expect((await run({ write_temp: { name, content: 'x' } })).error?.code).toBe('file_failed')
  })
})
