import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { type LocalRig, makeLocalRig } from '../../tests/support/local-rig.ts'

let rig: LocalRig
beforeEach(async () => {
  rig = await makeLocalRig()
})
afterEach(() => rig.root.remove())

async function pack(files: Record<string, string | Uint8Array>, mode?: number): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files))
    zip.addBuffer(Buffer.from(content), name, { mtime: new Date(0), ...(mode === undefined ? {} : { mode }) })
  zip.end()
  return buffer(zip.outputStream)
}

/** Another name of as many bytes, in both of the places where the archive has it. */
function renamed(zip: Buffer, from: string, to: string | Uint8Array): Buffer {
  const name = Buffer.from(to)
  expect(name).toHaveLength(Buffer.byteLength(from))
  const out = Buffer.from(zip)
  for (let at = out.indexOf(from); at >= 0; at = out.indexOf(from, at + 1)) name.copy(out, at)
  return out
}

async function unzip(archive: Buffer, options: object = {}) {
  await writeFile(join(rig.folder, 'a.zip'), archive)
  return rig.run([{ unzip: { path: 'a.zip', ...options } }])
}

describe('unzip', () => {
  it('lists what is in an archive', async () => {
    const { data } = await unzip(await pack({ 'a/桥.txt': 'x', 'b.txt': 'yy' }))
    expect(data).toMatchObject([
      { name: 'a/桥.txt', bytes: 1 },
      { name: 'b.txt', bytes: 2 },
    ])
  })

  it('extracts into a folder, all or some', async () => {
    const archive = await pack({ 'a/桥.txt': 'x', 'b.txt': 'y'.repeat(100_000) })
    const { data } = await unzip(archive, { to: 'out' })
    expect(data).toEqual([
      { path: join(rig.folder, 'out/a/桥.txt'), bytes: 1 },
      { path: join(rig.folder, 'out/b.txt'), bytes: 100_000 },
    ])
    expect(await readFile(join(rig.folder, 'out/b.txt'), 'utf8')).toBe('y'.repeat(100_000))
    await unzip(archive, { to: 'some', names: ['b.txt'] })
    expect(await readdir(join(rig.folder, 'some'))).toEqual(['b.txt'])
    expect((await unzip(archive, { names: ['c.txt'] })).error?.code).toBe('not_found')
  })

  it('replaces files only when it is told to', async () => {
    const archive = await pack({ 'b.txt': 'y' })
    await unzip(archive, { to: 'out' })
    expect((await unzip(archive, { to: 'out' })).error?.code).toBe('already_exists')
    expect((await unzip(archive, { to: 'out', mode: 'replace' })).error).toBeNull()
  })

  it.each(['../../evil.txt', '/abs/evil1.txt', 'C:/abs/evil.tx', '..\\..\\evil.tx'])(
    'refuses an archive with the name %s',
    async evil => {
      const name = 'x'.repeat(Buffer.byteLength(evil))
      const { error } = await unzip(renamed(await pack({ [name]: 'x' }), name, evil), { to: 'out' })
      expect(error?.code).toBe('parse_failed')
      expect(await readdir(rig.root.path)).toEqual(['files'])
    },
  )

  it('refuses a link in an archive, and follows none that is there already', async () => {
    expect((await unzip(await pack({ link: '/etc' }, 0o120777), { to: 'out' })).error?.message).toMatch(
      /a link/,
    )
    await symlink(rig.root.path, join(rig.folder, 'out'))
    const { error } = await unzip(await pack({ 'b.txt': 'y' }), { to: 'out' })
    expect(error?.code).toBe('path_not_granted')
  })

  it('refuses what would become too large, before and while it is taken out', async () => {
    const bomb = await pack({ 'zeros.bin': new Uint8Array(3 * 1024 * 1024) })
    expect((await unzip(bomb, { max_mb: 2 })).error?.message).toMatch(/more than 2 MB/)
    // The table of contents lies about the size.
    const liar = Buffer.from(bomb)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(3 * 1024 * 1024)
    const lie = Buffer.alloc(4)
    lie.writeUInt32LE(10)
    for (let at = liar.indexOf(size); at >= 0; at = liar.indexOf(size, at + 1)) lie.copy(liar, at)
    expect((await unzip(liar, { to: 'out', max_mb: 2 })).error?.code).toBe('parse_failed')
    expect((await unzip(await pack({ a: '', b: '', c: '' }), { max_files: 2 })).error?.code).toBe(
      'parse_failed',
    )
  })

  it('reads names in the encoding of an older program', async () => {
    // 桥.txt in GBK; the mark that names are in UTF-8 is taken off.
    const plain = renamed(
      await pack({ 'xx.txt': 'x' }),
      'xx.txt',
      Buffer.from([0xc7, 0xc5, 0x2e, 0x74, 0x78, 0x74]),
    )
    const central = plain.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
    plain.writeUInt16LE(plain.readUInt16LE(6) & ~0x800, 6)
    plain.writeUInt16LE(plain.readUInt16LE(central + 8) & ~0x800, central + 8)
    expect((await unzip(plain)).data).toMatchObject([{ name: '桥.txt' }])
  })

  it('fails on what is no archive', async () => {
    expect((await unzip(Buffer.from('not a zip'))).error).toMatchObject({
      code: 'parse_failed',
      step: 'unzip',
    })
  })
})
