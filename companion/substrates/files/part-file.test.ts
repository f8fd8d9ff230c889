import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTempDir, type TempDir } from '../../../tests/support/temp.ts'
import { openPart } from './part-file.ts'

let dir: TempDir
beforeAll(async () => {
  dir = await makeTempDir()
})
afterAll(() => dir.remove())

const unnamed = () => Promise.reject(new Error('nothing is named here'))

it('neither reads nor writes its note over a link that waited there', async () => {
  const [outside, path] = [join(dir.path, 'outside'), join(dir.path, 'a.part')]
  await writeFile(outside, 'theirs')
  await symlink(outside, `${path}.note`)
  const part = await openPart(path, unnamed)
  await expect(part.begin('ours')).rejects.toMatchObject({ code: 'file_failed' })
  await expect(part.note()).rejects.toMatchObject({ code: 'file_failed' })
  await part.drop()
  expect(await readFile(outside, 'utf8')).toBe('theirs')
})

it('keeps its note beside it', async () => {
  const part = await openPart(join(dir.path, 'b.part'), unnamed)
  expect(await part.note()).toBeNull()
  await part.begin('first, which is longer')
  await part.begin('second')
  expect(await part.note()).toBe('second')
  await part.drop()
})
