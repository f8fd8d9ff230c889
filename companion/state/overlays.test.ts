import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempDir, type TempDir } from '../../tests/support/temp.ts'
import { openOverlays } from './overlays.ts'

const ADAPTER = { site: 'demo', command: 'list' }

describe('the overlay of repairs', () => {
  let dir: TempDir
  beforeEach(async () => {
    dir = await makeTempDir()
  })
  afterEach(() => dir.remove())
  const open = () =>
    openOverlays({ adapters: join(dir.path, 'adapters'), backups: join(dir.path, 'repairs') })

  it('takes back each repair in turn, down to no copy at all', () => {
    const overlays = open()
    const { file } = overlays.replace(ADAPTER, 'one')
    overlays.replace(ADAPTER, 'two')
    expect(overlays.restore(ADAPTER)).toEqual({ file, restored: 'previous' })
    expect(readFileSync(file, 'utf8')).toBe('one')
    expect(overlays.restore(ADAPTER)).toEqual({ file, restored: 'none' })
    expect(existsSync(file)).toBe(false)
    expect(overlays.restore(ADAPTER)).toBeNull()
  })

  it('takes nothing back that somebody has changed since', () => {
    const overlays = open()
    const { file } = overlays.replace(ADAPTER, 'one')
    writeFileSync(file, 'mine')
    expect(() => overlays.restore(ADAPTER)).toThrow(/not as the repair left it/)
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})
