import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type LocalSite, localSite, type NetworkWorld, networkWorld } from '../support/network-world.ts'

let world: NetworkWorld
let site: LocalSite
let folder = ''
beforeAll(async () => {
  world = await networkWorld()
  site = await localSite()
  folder = join(world.dir.path, 'files')
})
afterAll(async () => {
  await site.close()
  await world.dir.remove()
})

const BODY = Buffer.from(Array.from({ length: 300_000 }, (_, i) => i % 251))
const SHA = createHash('sha256').update(BODY).digest('hex')

/** A site that gives ranges; `breaks` answers end after that many bytes. */
let breaks: number[] = []
let etag = '"v1"'
const serve = (more: Record<string, string> = {}): void => {
  site.answer = ({ headers }, response) => {
    const start =
      headers['if-range'] === etag ? Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0) : 0
    const content = BODY.subarray(start)
    response.writeHead(start > 0 ? 206 : 200, {
      'content-type': 'application/pdf',
      // Node spoils a name beyond ASCII where a length is said.
      ...('content-disposition' in more ? {} : { 'content-length': content.length }),
      etag,
      ...(start > 0 ? { 'content-range': `bytes ${start}-${BODY.length - 1}/${BODY.length}` } : {}),
      ...more,
    })
    const upTo = breaks.shift()
    if (upTo === undefined) response.end(content)
    else response.write(content.subarray(0, upTo), () => setTimeout(() => response.destroy(), 20))
  }
}
beforeEach(() => {
  site.seen.length = 0
  breaks = []
  etag = '"v1"'
  serve()
})
type Settings = Parameters<NetworkWorld['run']>[2]
const run = (download: unknown, settings: Settings = {}) =>
  world.run(site.url, [{ download }], { effect: 'write', ...settings })
const got = async (download: unknown, settings: Settings = {}) => {
  const envelope = await run(download, settings)
  expect(envelope.error).toBeNull()
  return envelope.data as Record<string, unknown>
}
const hidden = (at: string) => readdirSync(join(folder, at)).filter(name => name.startsWith('.'))

it('puts a file whole into a granted folder and tells what it is', async () => {
  expect(await got({ url: '/a/b%E6%A1%A5.pdf?x=1', to: 'one' })).toEqual({
    path: join(folder, 'one', 'b桥.pdf'),
    bytes: BODY.length,
    sha256: SHA,
    type: 'application/pdf',
    url: `${site.url}/a/b%E6%A1%A5.pdf?x=1`,
    status: 'downloaded',
  })
  expect(readFileSync(join(folder, 'one', 'b桥.pdf')).equals(BODY)).toBe(true)
  expect(hidden('one')).toEqual([])
})

it('goes on where the connection broke off', async () => {
  breaks = [100_000, 50_000]
  const file = await got({ url: '/r.pdf', to: 'broken', retry: { attempts: 3, backoff_ms: 1 } })
  expect(file).toMatchObject({ bytes: BODY.length, sha256: SHA, status: 'resumed' })
  expect(site.seen.map(({ headers }) => [headers.range !== undefined, headers['if-range']])).toEqual([
    [false, undefined],
    [true, '"v1"'],
    [true, '"v1"'],
  ])
})

it('goes on in a later run, and begins anew when the file has changed meanwhile', async () => {
  breaks = [100_000]
  const failed = await run({ url: '/later.pdf', to: 'later', retry: 1 })
  expect(failed.error).toMatchObject({ code: 'network_error' })
  expect(hidden('later')).toHaveLength(2)
  expect(await got({ url: '/later.pdf', to: 'later' })).toMatchObject({ sha256: SHA, status: 'resumed' })
  breaks = [100_000]
  await run({ url: '/changed.pdf', to: 'later', retry: 1 })
  etag = '"v2"'
  expect(await got({ url: '/changed.pdf', to: 'later' })).toMatchObject({ sha256: SHA, status: 'downloaded' })
  expect(hidden('later')).toEqual([])
})

it('keeps nothing of what has another checksum', async () => {
  const { error } = await run({ url: '/sum.pdf', to: 'sum', sha256: 'a'.repeat(64) })
  expect(error).toMatchObject({ code: 'checksum_mismatch', details: { got: SHA } })
  expect(readdirSync(join(folder, 'sum'))).toEqual([])
  expect(await got({ url: '/sum.pdf', to: 'sum', sha256: SHA.toUpperCase() })).toMatchObject({ sha256: SHA })
})

it('leaves a file alone that is there, unless it is another one or shall be replaced', async () => {
  await mkdir(join(folder, 'there'), { recursive: true })
  const file = join(folder, 'there', 'x.pdf')
  writeFileSync(file, 'old')
  expect(await got({ url: '/x.pdf', to: 'there' })).toMatchObject({ status: 'skipped', bytes: 3 })
  expect(site.seen).toHaveLength(0)
  expect(await got({ url: '/x.pdf', to: 'there', sha256: SHA })).toMatchObject({ status: 'downloaded' })
  writeFileSync(file, 'old')
  expect(await got({ url: '/x.pdf', to: 'there', skip_existing: false })).toMatchObject({
    bytes: BODY.length,
  })
  expect(readFileSync(file).equals(BODY)).toBe(true)
})

it.each([
  ['attachment; filename="report 1.pdf"', 'report 1.pdf'],
  ["attachment; filename=x.pdf; filename*=UTF-8''%E6%A1%A5.pdf", '桥.pdf'],
  [`attachment; filename="${Buffer.from('桥2.pdf').toString('latin1')}"`, '桥2.pdf'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="..\\\\..\\\\evil.exe"', 'evil.exe'],
  ['attachment; filename=".bashrc"', 'bashrc'],
  ['attachment; filename="CON.txt"', 'CON_.txt'],
  ['nonsense;;', 'fallback.bin'],
])('takes the name from %s', async (header, name) => {
  serve({ 'content-disposition': header })
  const file = await got({
    url: '/fallback.bin',
    to: `names/${createHash('md5').update(header).digest('hex')}`,
  })
  expect(String(file.path).split('/').at(-1)).toBe(name)
})

it('gets many at once, in order, and gives files of one name a name each', async () => {
  const download = {
    url: '/files/${{ item.id }}.pdf',
    to: 'papers',
    name: '${{ item.title }}.pdf',
    for_each: '${{ args.list }}',
    concurrency: 2,
  }
  const list = [
    { id: 'p1', title: 'AC/DC' },
    { id: 'p2', title: '桥' },
    { id: 'p3', title: '桥' },
  ]
  const files = (await got(download, { args: { list } })) as unknown as { path: string }[]
  expect(files.map(({ path }) => path.split('/').at(-1))).toEqual(['AC_DC.pdf', '桥.pdf', '桥 (2).pdf'])
})

it('writes nowhere else, and no more than it may', async () => {
  expect((await run({ url: '/x.pdf', to: '/etc' })).error?.code).toBe('path_not_granted')
  expect((await run({ url: '/x.pdf', to: '../out' })).error?.code).toBe('path_not_granted')
  await symlink('/etc', join(folder, 'link'))
  expect((await run({ url: '/x.pdf', to: 'link' })).error?.code).toBe('path_not_granted')
  expect((await run({ url: '/big.pdf', to: 'big', max_mb: 0.1 })).error?.code).toBe('response_too_large')
  expect(existsSync(join(folder, 'big', 'big.pdf'))).toBe(false)
})

it('tells a refusal apart from a file, and reaches declared origins only', async () => {
  site.answer = (_, response) => response.writeHead(404).end('no such paper') && undefined
  expect((await run({ url: '/gone.pdf', to: 'gone' })).error).toMatchObject({ code: 'http_error' })
  expect(readdirSync(join(folder, 'gone'))).toEqual([])
  site.answer = (_, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:9/x' }).end() && undefined
  expect((await run({ url: '/moved.pdf', to: 'gone' })).error?.code).toBe('origin_not_allowed')
})
