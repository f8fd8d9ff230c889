import { expect, onTestFinished, test } from 'vitest'
import { type Checkout, copyCheckout } from '../../support/checkout.ts'

const HEAD = "import { expect, test } from 'vitest'\n"
const GOOD = "test('good', () => expect(1).toBe(1))\n"
const BAD = "test('bad', () => expect(1).toBe(2))\n"
const SKIPPED = "test.skip('one [needs a thing]', () => expect(1).toBe(1))\n"

async function checkout(tests: string): Promise<Checkout> {
  const copy = await copyCheckout()
  onTestFinished(copy.remove)
  await copy.write('shared/probe.test.ts', HEAD + tests)
  return copy
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

test('the last line counts passed, failed and skipped tests, and a failure fails the run', async () => {
  const copy = await checkout(GOOD + BAD + SKIPPED)
  const { code, output } = await copy.script('test.mjs', 'shared/probe')
  expect(code).toBe(1)
  expect(lastLine(output)).toBe('1 passed, 1 failed, 1 skipped')
  expect(output).toContain('Failed:\n  shared/probe.test.ts: bad')
  expect(output).toContain('Skipped:\n  shared/probe.test.ts: one [needs a thing]')
})

test('without failures the run passes, and a test that was skipped is no failure', async () => {
  const copy = await checkout(GOOD + SKIPPED)
  const { code, output } = await copy.script('test.mjs', 'unit', 'shared/probe')
  expect({ code, line: lastLine(output) }).toEqual({ code: 0, line: '1 passed, 0 failed, 1 skipped' })
})

test('in CI a skipped test is a failure', async () => {
  const copy = await checkout(GOOD + SKIPPED)
  const { code, output } = await copy.scriptInCi('test.mjs', 'shared/probe')
  expect({ code, line: lastLine(output) }).toEqual({ code: 1, line: '1 passed, 1 failed' })
})

test('a file that cannot be loaded, an error beside the tests and a run without tests are failures', async () => {
  const broken = await checkout(`${GOOD}throw new Error('at load')\n`)
  expect(await broken.script('test.mjs', 'shared/probe')).toMatchObject({ code: 1 })
  await broken.write('shared/probe.test.ts', `${HEAD}void Promise.reject(new Error('stray'))\n${GOOD}`)
  const stray = await broken.script('test.mjs', 'shared/probe')
  expect({ code: stray.code, line: lastLine(stray.output) }).toEqual({ code: 1, line: '1 passed, 1 failed' })
  const none = await broken.script('test.mjs', 'shared/no-such-test')
  expect({ code: none.code, line: lastLine(none.output) }).toEqual({ code: 1, line: '0 passed, 1 failed' })
})
