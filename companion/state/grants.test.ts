import { describe, expect, it } from 'vitest'
import { recordingLog } from '../../tests/support/recording-log.ts'
import { openDatabase } from './database.ts'
import { openGrants } from './grants.ts'

const grant = (id: string, expires_at: number) => ({
  ...{ id, operation: 'wiki.edit', covers: `wiki.edit with title "${id}"`, lasts: 'always' as const },
  ...{ granted_at: 1, expires_at },
})

describe('allowances for always', () => {
  it('are found by what they allow until they expire or are revoked', () => {
    let now = 100
    const db = openDatabase({ file: ':memory:', log: recordingLog() })
    const grants = openGrants({ db, now: () => now })
    grants.put('k1', grant('a', 200))
    grants.put('k2', grant('b', 300))
    expect(grants.find('k1')).toEqual(grant('a', 200))
    expect(grants.find('k3')).toBeNull()
    now = 200
    expect(grants.find('k1')).toBeNull()
    expect(grants.list()).toEqual([grant('b', 300)])
    expect(grants.revoke('a') + grants.revoke('b')).toBe(2)
    expect(grants.revoke('b')).toBe(0)
    grants.put('k2', grant('b', 300))
    expect(grants.revoke()).toBe(1)
    db.close()
  })
})
