import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { pathsOf } from '../state/paths.ts'
import { openState } from './state.ts'

let home: TempDir
beforeEach(async () => {
  home = await makeTempDir()
})
afterEach(() => home.remove())

/** What a companion with these settings keeps of two entries, a `debug` and an `info`. */
async function keptWith(settings: string): Promise<string[]> {
  const paths = pathsOf({ UNICLI_HOME: home.path })
  writeFileSync(paths.config, settings)
  const { log, ledger, db } = openState(paths)
  log.debug('fine grain')
  log.info('coarse grain')
  ledger.close()
  db.close()
  await log.close()
  return readFileSync(join(paths.logs, 'companion.log'), 'utf8')
    .split('\n')
    .filter(line => line.includes('grain'))
    .map(line => JSON.parse(line).msg)
}

describe('the state of a companion', () => {
  it.each([
    ['info by default', '', ['coarse grain']],
    ['debug when that is set', 'log:\n  level: debug\n', ['fine grain', 'coarse grain']],
    ['warn when that is set', 'log:\n  level: warn\n', []],
  ])('logs from %s', async (_, settings, kept) => {
    expect(await keptWith(settings)).toEqual(kept)
  })
})
