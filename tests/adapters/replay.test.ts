import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FixtureAnswers } from '../../companion/library/fixture-answers.ts'
import { type NamedFixture, readFixtures } from '../../companion/library/fixtures.ts'
import { fixtureBrowser } from '../../companion/repair/fixture-browser.ts'
import { Envelope } from '../../shared/envelope.ts'
import { type KernelRig, makeKernelRig, noBrowser } from '../support/kernel-rig.ts'
import { ADAPTERS } from '../support/shipped-adapters.ts'

/**
 * Adapters of public sites, run by the real kernel against their fixtures: answers in the shape that each provider
 * documents (`contract`), or recorded from a live run (`replay`). `after` names the document or the software.
 */
const replayed = readdirSync(ADAPTERS).flatMap(site =>
  commandsOf(site).map(command => ({
    operation: `${site}.${command}`,
    fixtures: readFixtures(ADAPTERS, site, command),
  })),
)

function commandsOf(site: string): string[] {
  const folder = join(ADAPTERS, site, 'fixtures')
  return existsSync(folder) ? readdirSync(folder).toSorted() : []
}

let answers = new FixtureAnswers([])
let browser = fixtureBrowser([])
let rig: KernelRig
beforeAll(async () => {
  rig = await makeKernelRig({
    http: () => ({ open: () => answers }),
    browser: { ...noBrowser, open: request => browser.open(request) },
  })
})
afterAll(() => rig.close())

describe.each(replayed)('$operation', ({ operation, fixtures }) => {
  it.each(fixtures)('$title', async ({ args, strategy, answers: recorded, expect: expected }) => {
    answers = new FixtureAnswers(recorded)
    browser = fixtureBrowser(recorded)
    const envelope = await rig.run(operation, args, strategy === undefined ? {} : { strategy })
    expect(Envelope.safeParse(envelope).error).toBeUndefined()
    expect({ code: envelope.error?.code, message: envelope.error?.message }).toMatchObject({
      code: expected.code,
    })
    if (strategy !== 'ui') expect(answers.unasked()).toEqual([])
    if (expected.code === undefined) expectRows(envelope.data, expected)
  })
})

function expectRows(data: unknown, { rows_min, columns = [], ...rest }: NamedFixture['expect']): void {
  if ('data' in rest) expect(data).toEqual(rest.data)
  const rows = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[]
  expect(rows.length).toBeGreaterThanOrEqual(rows_min ?? 0)
  for (const column of columns) expect(rows.some(row => row[column] !== null)).toBe(true)
}

it('has a contract for every adapter that says it was verified by one', () => {
  const claimed = rig.library.list().flatMap(({ id, verified }) => (verified?.how === 'contract' ? [id] : []))
  const kept = replayed.filter(({ fixtures }) => fixtures.some(({ kind }) => kind === 'contract'))
  expect(kept.map(({ operation }) => operation)).toEqual(claimed)
})
