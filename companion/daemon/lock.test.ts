import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeTempDir } from '../../tests/support/temp.ts'
import { acquireLock, lockHolder } from './lock.ts'
import { identityOf } from './process-identity.ts'

let folder: string
beforeEach(async () => {
  const dir = await makeTempDir()
  onTestFinished(dir.remove)
  folder = join(dir.path, 'lock')
})

const me = { pid: process.pid, identity: identityOf(process.pid) }
/** Above the greatest process number of Linux. */
const NOBODY = 2 ** 22 + 1
const leave = (content: unknown, number = 7) => {
  mkdirSync(folder)
  writeFileSync(join(folder, String(number)), typeof content === 'string' ? content : JSON.stringify(content))
}

describe('taking the lock', () => {
  test('works once; then it names this process as the holder', () => {
    expect(acquireLock(folder)).toBe('acquired')
    expect(acquireLock(folder)).toEqual({ holder: me })
    expect(lockHolder(folder)).toEqual(me)
    expect(readdirSync(folder)).toEqual(['1'])
  })

  test.each([
    ['a process that is gone', { pid: NOBODY, identity: 'x' }],
    ['a process whose number another one has now', { pid: process.pid, identity: 'another start' }],
    ['a torn file', '{"pid": 1'],
    ['a file of something else', '[1, 2]'],
  ])('takes it over from %s, under the next number', (_, content) => {
    leave(content)
    expect(lockHolder(folder)).toBeNull()
    expect(acquireLock(folder)).toBe('acquired')
    expect(readdirSync(folder)).toEqual(['8'])
  })

  test('leaves it with a running process that another file, of a lower number, does not change', () => {
    leave(me)
    writeFileSync(join(folder, '3'), JSON.stringify({ pid: NOBODY, identity: 'x' }))
    expect(acquireLock(folder)).toEqual({ holder: me })
  })
})

test('there is no holder where there is no lock', () => {
  expect(lockHolder(folder)).toBeNull()
})

describe('the identity of a process', () => {
  test('stays the same, differs between processes, and is null for one that is not there', () => {
    expect(identityOf(process.pid)).toBe(me.identity)
    expect(identityOf(process.ppid)).not.toBe(me.identity)
    expect(identityOf(NOBODY)).toBeNull()
  })
})
