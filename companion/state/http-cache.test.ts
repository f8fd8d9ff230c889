import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openHttpCache } from './http-cache.ts'

let dir: TempDir
beforeAll(async () => {
  dir = await makeTempDir()
})
afterAll(() => dir.remove())

const key = (digit: string) => digit.repeat(64)
const answer = (text: string) => ({
  status: 200,
  url: 'https://demo.example/列表',
  headers: { etag: '"1"' },
  body: new TextEncoder().encode(text),
  at: 5,
})
const open = (name: string, maxBytes = 10_000) => {
  const log = recordingLog()
  return {
    log,
    folder: join(dir.path, name),
    cache: openHttpCache({ folder: join(dir.path, name), maxBytes, log }),
  }
}

it('gives an answer back as it was, also after a restart', () => {
  open('a').cache.put(key('1'), answer('你好\n\0'))
  const found = open('a').cache.get(key('1'))
  expect({ ...found, body: [...(found?.body ?? [])] }).toEqual({
    ...answer(''),
    body: [...answer('你好\n\0').body],
  })
  expect(open('a').cache.get(key('2'))).toBeNull()
})

it('stays below its cap by forgetting the longest unused', () => {
  const { cache, folder } = open('b', 700)
  cache.put(key('1'), answer('x'.repeat(200)))
  cache.put(key('2'), answer('x'.repeat(200)))
  cache.get(key('1'))
  cache.put(key('3'), answer('x'.repeat(200)))
  expect(readdirSync(folder)).toEqual([key('1'), key('3')])
  cache.put(key('4'), answer('x'.repeat(2000)))
  expect(cache.get(key('4'))).toBeNull()
})

it('forgets a file that was damaged, and keeps no key that is not a hash', () => {
  const { cache, folder, log } = open('c')
  cache.put(key('1'), answer('x'))
  writeFileSync(join(folder, key('1')), 'broken')
  expect(cache.get(key('1'))).toBeNull()
  expect(readdirSync(folder)).toEqual([])
  cache.put('../escape', answer('x'))
  expect(readdirSync(folder)).toEqual([])
  expect(log.lines).toEqual([])
})
