import { describe, expect, onTestFinished, test } from 'vitest'
import { type Checkout, copyCheckout } from '../../support/checkout.ts'

async function checkout(): Promise<Checkout> {
  const copy = await copyCheckout()
  onTestFinished(copy.remove)
  return copy
}

/** Makes dependency-cruiser blind for some paths, as a parser is that does not know our TypeScript. */
async function exclude(copy: Checkout, pattern: string): Promise<void> {
  const config = await copy.read('.dependency-cruiser.mjs')
  await copy.write(
    '.dependency-cruiser.mjs',
    config.replace(/exclude: \{.*\}/, `exclude: { path: '${pattern}' }`),
  )
}

const lines = (count: number, line: string) => `${line}\n`.repeat(count)

describe('the gate for imports', () => {
  test('fails on a cycle and on an import that the rules forbid, and says how to repair each', async () => {
    const copy = await checkout()
    await copy.write('companion/kernel/aa.ts', "import './bb.ts'\nimport '../substrates/http/cc.ts'\n")
    await copy.write('companion/kernel/bb.ts', "import './aa.ts'\n")
    await copy.write('companion/substrates/http/cc.ts', "import '../browser/dd.ts'\nimport 'hono'\n")
    await copy.write('companion/substrates/browser/dd.ts', "import './cc.test.ts'\nimport './missing.ts'\n")
    await copy.write('companion/substrates/browser/cc.test.ts', '')
    await copy.write('extension/page/ee.ts', "import { Ref } from '../../shared/values.ts'\nRef.parse('')\n")
    const { code, output } = await copy.script('check.mjs', 'imports')
    expect(code).toBe(1)
    expect(output).toMatch(
      /kernel\/aa\.ts -> companion\/kernel\/bb\.ts -> .*aa\.ts {2}\[no-cycles\] Move what/,
    )
    expect(output).toContain(
      'aa.ts -> companion/substrates/http/cc.ts  [companion-kernel-imports] The kernel',
    )
    expect(output).toContain('cc.ts -> companion/substrates/browser/dd.ts  [companion-substrates-imports]')
    expect(output).toMatch(/cc\.ts -> .*node_modules\/hono\/.*\[hono-in-http\]/)
    expect(output).toContain('cc.test.ts  [no-test-in-product]')
    expect(output).toContain('[resolvable]')
    expect(output).toContain('ee.ts -> shared/values.ts  [page-types-only]')
    expect(output).toContain('companion/kernel/aa.ts  [no-unreachable]')
  })

  test('fails when it read no module at all', async () => {
    const copy = await checkout()
    await exclude(copy, '.')
    const { code, output } = await copy.script('check.mjs', 'imports')
    expect(code).toBe(1)
    expect(output).toContain('dependency-cruiser read 0 modules.')
  })

  test('fails when a folder of the design is empty or has no rule, and when a file was passed over', async () => {
    const copy = await checkout()
    await copy.clear('companion/ports')
    await copy.write('companion/elsewhere/lawless.ts', '')
    await exclude(copy, '^shared/values')
    const { code, output } = await copy.script('check.mjs', 'imports')
    expect(code).toBe(1)
    expect(output).toContain('companion/ports/ holds no module')
    expect(output).toContain('shared/values.ts was not read')
    expect(output).toContain('No rule is about companion/elsewhere/.')
  })
})

test('the gate for dead code fails on an export, a file and a package that nobody uses', async () => {
  const copy = await checkout()
  await copy.append('shared/identity.ts', 'export const NOBODY_USES_THIS = 1\n')
  await copy.write('companion/kernel/nobody-imports-this.ts', 'export const x = 1\n')
  const packageJson = JSON.parse(await copy.read('package.json'))
  packageJson.dependencies['left-pad'] = '1.3.0'
  await copy.write('package.json', JSON.stringify(packageJson))
  const { code, output } = await copy.script('check.mjs', 'dead')
  expect(code).toBe(1)
  expect(output).toMatch(/NOBODY_USES_THIS\s+shared\/identity\.ts/)
  expect(output).toContain('companion/kernel/nobody-imports-this.ts')
  expect(output).toContain('left-pad')
})

describe('the gate for sources', () => {
  test('fails on long files, long functions, empty catches, undated marks and vague names', async () => {
    const copy = await checkout()
    await copy.write('shared/long.ts', lines(401, '// x'))
    await copy.write('shared/long.test.ts', lines(401, '// x'))
    await copy.write('shared/wide.ts', `export function f() {\n${lines(59, '  f()')}}\n`)
    await copy.write('extension/page/swallow.ts', 'try {\n  f()\n} catch {\n  // fine\n}\n')
    await copy.write('extension/page/drop.ts', 'void f().catch(() => {})\n')
    await copy.write('companion/kernel/later.ts', `// ${'TO'}DO mend this\n`)
    await copy.write('companion/kernel/utils.ts', '')
    const { code, output } = await copy.script('check.mjs', 'source')
    expect(code).toBe(1)
    expect(output).toContain('shared/long.ts: 401 lines')
    expect(output).toContain('shared/long.test.ts: 401 lines')
    expect(output).toContain('shared/wide.ts:1: a function of 61 lines')
    expect(output).toContain('extension/page/swallow.ts:3: an empty catch')
    expect(output).toContain('extension/page/drop.ts:1: an empty catch')
    expect(output).toMatch(/companion\/kernel\/later\.ts:1: .* without a date/)
    expect(output).toContain('companion/kernel/utils.ts: the name says nothing')
  })

  test('passes what lies just within the limits, and takes the body of a suite for no function', async () => {
    const copy = await checkout()
    await copy.write('shared/full.ts', lines(400, '// x'))
    await copy.write('shared/just.ts', `export function f() {\n${lines(58, '  f()')}}\n`)
    await copy.write('shared/suite.test.ts', `test('much', () => {\n${lines(90, '  f()')}})\n`)
    await copy.write('shared/later.ts', `// ${'TO'}DO [2031-01-31] mend this\n`)
    const { output } = await copy.script('check.mjs', 'source')
    for (const name of ['full.ts', 'just.ts', 'suite.test.ts', 'later.ts'])
      expect(output).not.toContain(`shared/${name}`)
  })
})

test('the gate for generated files fails on a stale, a missing and a left-over one; gen mends all three', async () => {
  const copy = await checkout()
  await copy.append('docs/reference/failures.md', 'edited by hand\n')
  await copy.write('docs/reference/nobody-makes-this.md', '')
  await copy.clear('docs/reference/wire.md')
  const { code, output } = await copy.script('check.mjs', 'generated')
  expect(code).toBe(1)
  expect(output).toContain('docs/reference/failures.md is stale')
  expect(output).toContain('docs/reference/wire.md is stale')
  expect(output).toContain('docs/reference/nobody-makes-this.md has no generator')
  await copy.script('gen.mjs')
  expect(await copy.script('check.mjs', 'generated')).toMatchObject({ code: 0 })
})

test('the gates for types fail on a browser global in the companion and on an error in a test', async () => {
  const copy = await checkout()
  // Only the configuration is on trial; to compile the whole product twice would take minutes.
  for (const name of ['shared', 'companion', 'extension', 'tests', 'vitest.config.ts', 'wxt.config.ts'])
    await copy.clear(name)
  await copy.write('companion/kernel/leak.ts', 'export const title = document.title\n')
  await copy.write('tests/laws/wrong.test.ts', 'export const n: number = "one"\n')
  const node = await copy.script('check.mjs', 'types-node', 'types-tests')
  expect(node.code).toBe(1)
  expect(node.output).toMatch(/leak\.ts\(1,22\): error TS2584/)
  expect(node.output).toMatch(/wrong\.test\.ts\(1,14\): error TS2322/)
})

test('the gate for style fails on what Biome would write otherwise', async () => {
  const copy = await checkout()
  await copy.write('shared/style.ts', 'export const a = "double";\n')
  const { code, output } = await copy.script('check.mjs', 'style')
  expect(code).toBe(1)
  expect(output).toContain('shared/style.ts')
})

test('a gate that does not exist is an error, not a pass', async () => {
  const copy = await checkout()
  const { code, output } = await copy.script('check.mjs', 'import')
  expect(code).toBe(1)
  expect(output).toContain('There is no gate "import"')
})
