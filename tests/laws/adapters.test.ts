import { describe, expect, it } from 'vitest'
import { describeOperation } from '../../companion/kernel/description.ts'
import { openLibrary } from '../../companion/library/catalogue.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { recordingLog } from '../support/recording-log.ts'
import { ADAPTERS } from '../support/shipped-adapters.ts'

/** Laws that every packaged adapter keeps. A new one is under them without anybody naming it here. */
const library = openLibrary({
  steps: STEPS,
  packaged: ADAPTERS,
  overlay: `${ADAPTERS}/none`,
  log: recordingLog(),
})
const packaged = library.list().filter(({ adapterPath }) => adapterPath !== null)

it('are all sound', () => {
  expect(library.faults()).toEqual([])
  expect(packaged.length).toBeGreaterThan(15)
})

describe.each(packaged)('$id', operation => {
  it('says in one sentence what it does, and how that was verified', () => {
    expect(operation.doc).toMatch(/^[A-Z][^.]{15,150}\.([^.]{0,80}\.)?$/)
    expect(operation.verified?.date).toMatch(/^\d{4}-\d{2}-\d{2}$/)
  })

  it('is found in English and in Chinese', () => {
    expect(operation.aliases.some(alias => /\p{Script=Han}/u.test(alias))).toBe(true)
    expect(operation.aliases.some(alias => /^[a-z]/.test(alias))).toBe(true)
    const found = library.search(`${operation.site} ${operation.command}`, 3).map(hit => hit.operation.id)
    expect(found).toContain(operation.id)
  })

  it('describes its arguments and gives an example that they take', () => {
    for (const schema of Object.values(operation.args.shape)) expect(schema.description).toMatch(/.../)
    expect(operation.args.safeParse(operation.example).success).toBe(true)
    expect(() => describeOperation(operation)).not.toThrow()
  })

  it('names columns, and alternatives that exist', () => {
    expect(operation.columns.length).toBeGreaterThan(0)
    for (const id of operation.alternatives) expect(library.get(id)?.id).toBe(id)
    expect(operation.alternatives).not.toContain(operation.id)
  })
})
