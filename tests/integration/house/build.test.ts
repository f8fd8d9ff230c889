import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { EXTENSION_KEY, FIREFOX_ID } from '../../../shared/identity.ts'
import { type Checkout, copyCheckout } from '../../support/checkout.ts'
import { spawnProcess } from '../../support/processes.ts'

const CLI = `#!/usr/bin/env node
import { VERSION } from '../../shared/version.ts'
if (process.argv[2] === '--version') console.log(VERSION)
else void import('../kernel/client.ts').then(({ client }) => client())
`
const CLIENT = `export const client = async () => (await import('./probe.ts')).probe()
`
/** CommonJS that requires Node's own modules, ES modules, and the one package that stays outside. */
const PROBE = `import { pino } from 'pino'
import sqlite from 'node-sqlite3-wasm'
import { parse } from 'yaml'
export const probe = () =>
  console.log(JSON.stringify([typeof pino, parse('a: 1'), new sqlite.Database(':memory:').get('select 2 as b')]))
`

/** A checkout whose executables are a small probe. */
async function checkout(): Promise<Checkout> {
  const copy = await copyCheckout()
  onTestFinished(copy.remove)
  await rm(join(copy.path, 'companion/bin'), { recursive: true, force: true })
  await copy.write('companion/bin/unicli.ts', CLI)
  await copy.write('companion/kernel/client.ts', CLIENT)
  await copy.write('companion/kernel/probe.ts', PROBE)
  return copy
}

async function cli(copy: Checkout, ...args: string[]): Promise<string> {
  const run = await spawnProcess(process.execPath, [join(copy.path, 'dist/bin/unicli.cjs'), ...args])
  await run.exited
  return run.stdout() + run.stderr()
}

test('the CLI is a small file that loads the rest when it needs it, CommonJS and all', async () => {
  const copy = await checkout()
  expect(await copy.script('build.mjs', '--companion')).toMatchObject({ code: 0 })
  const { version } = JSON.parse(await copy.read('package.json'))
  expect(await cli(copy, '--version')).toBe(`${version}\n`)
  expect(JSON.parse(await cli(copy))).toEqual(['function', { a: 1 }, { b: 2 }])
  const { size, mode } = await stat(join(copy.path, 'dist/bin/unicli.cjs'))
  expect(size).toBeLessThan(3000)
  expect(mode & 0o111).toBe(0o111)
  expect((await readdir(join(copy.path, 'dist/docs-assets'))).sort()).toContain('swagger-ui-bundle.js')
})

test('a part is built again when an input changed or an output is gone, and only then', async () => {
  const copy = await checkout()
  const build = async () => (await copy.script('build.mjs', '--companion')).output
  expect(await build()).toContain('built companion')
  expect(await build()).toBe('')
  await copy.append('companion/kernel/probe.ts', '// changed\n')
  expect(await build()).toMatch(/^built companion in/)
  await rm(join(copy.path, 'dist/docs-assets/swagger-ui.css'))
  expect(await build()).toMatch(/^built docs-assets in/)
  expect((await copy.script('build.mjs', '--companion', '--force')).output).toContain('built companion')
})

test('two builds at once wait for each other, and the lock of a dead one is taken over', async () => {
  const copy = await checkout()
  const dead = await spawnProcess(process.execPath, ['-e', ''])
  await dead.exited
  await copy.write('.cache/build.lock', String(dead.pid))
  const runs = await Promise.all([
    copy.script('build.mjs', '--companion'),
    copy.script('build.mjs', '--companion'),
  ])
  expect(runs.map(run => run.code)).toEqual([0, 0])
  expect(runs.filter(run => run.output.includes('built companion'))).toHaveLength(1)
  expect(existsSync(join(copy.path, '.cache/build.lock'))).toBe(false)
})

test('a build that cannot succeed fails, and says where', async () => {
  const copy = await checkout()
  await copy.append('companion/kernel/probe.ts', "import './no-such-file.ts'\n")
  const { code, output } = await copy.script('build.mjs', '--companion')
  expect(code).toBe(1)
  expect(output).toContain('no-such-file.ts')
})

test('the extension is built for Chromium and Firefox, each with a manifest of its own', async () => {
  const copy = await checkout()
  await rm(join(copy.path, 'extension/entrypoints'), { recursive: true, force: true })
  await mkdir(join(copy.path, 'extension/entrypoints'), { recursive: true })
  await copy.write(
    'extension/entrypoints/background.ts',
    `import { defineBackground } from 'wxt/utils/define-background'\nexport default defineBackground(() => undefined)\n`,
  )
  expect(await copy.script('build.mjs', '--extension')).toMatchObject({ code: 0 })
  const manifest = async (browser: string) =>
    JSON.parse(await copy.read(`dist/extension/${browser}/manifest.json`))
  const [chrome, firefox] = [await manifest('chrome'), await manifest('firefox')]
  expect(chrome).toMatchObject({ manifest_version: 3, key: EXTENSION_KEY, host_permissions: ['<all_urls>'] })
  expect(firefox).toMatchObject({
    manifest_version: 3,
    browser_specific_settings: {
      gecko: { id: FIREFOX_ID, data_collection_permissions: { required: ['none'] } },
    },
  })
  expect(firefox).not.toHaveProperty('key')
  const only = chrome.permissions.filter((name: string) => !firefox.permissions.includes(name))
  expect(only.sort()).toEqual(['debugger', 'offscreen', 'tabGroups'])
  for (const { content_security_policy: policy } of [chrome, firefox])
    expect(policy.extension_pages).toMatch(/^default-src 'none'; script-src 'self';(?!.*unsafe)/)
})
