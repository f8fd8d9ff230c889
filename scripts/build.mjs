import { chmodSync, copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, relative } from 'node:path'
import { ROOT, runTool } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { listFiles } from './files.mjs'
import { isFresh, readStamp, writeStamp } from './freshness.mjs'
import { withLock } from './lock.mjs'

// dist/: bin/ (CLI, companion, native host), docs-assets/ and extension/{chrome,firefox}. A part whose inputs
// did not change is left as it is. --companion and --extension narrow it, --force builds in any case.

const DOCS_ASSETS = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']

async function buildCompanion() {
  const { files, inputs, metafile } = await (await import('./bundle.mjs')).bundleCompanion()
  for (const { path, contents } of files) replaceFile(path, contents)
  chmodSync(`${ROOT}/dist/bin/unicli.cjs`, 0o755)
  const outputs = files.map(({ path }) => relative(ROOT, path))
  // The chunks of the last build stay once more: a companion that runs still loads them when it needs them.
  const keep = new Set([...outputs, ...(readStamp('companion')?.outputs ?? [])])
  for (const path of listFiles(['dist/bin'], /\.c?js$/)) if (!keep.has(path)) rmSync(`${ROOT}/${path}`)
  writeFileSync(`${ROOT}/.cache/companion-metafile.json`, JSON.stringify(metafile))
  writeStamp('companion', inputs, outputs)
}

/** What the last bundle was made of, and entries that came since. */
const companionInputs = () => [
  ...new Set([...(readStamp('companion')?.inputs ?? []), ...listFiles(['companion/bin'], /^(?!.*\.test\.)/)]),
]

function copyDocsAssets() {
  const source = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  mkdirSync(`${ROOT}/dist/docs-assets`, { recursive: true })
  for (const file of DOCS_ASSETS) copyFileSync(`${source}/${file}`, `${ROOT}/dist/docs-assets/${file}`)
  writeStamp(
    'docs-assets',
    [],
    DOCS_ASSETS.map(file => `dist/docs-assets/${file}`),
  )
}

const extensionInputs = () => [
  ...listFiles(['extension', 'shared'], /^(?!.*\.test\.)/),
  ...['wxt.config.ts', 'tsconfig.json'],
]

/** @param {string} browser */
async function buildExtension(browser) {
  const inputs = extensionInputs()
  const { code, output } = await runTool('wxt/bin/wxt.mjs', ['build', '-b', browser])
  if (code !== 0) throw new Error(`wxt build -b ${browser} failed:\n${output}`)
  writeStamp(`extension-${browser}`, inputs, listFiles([`dist/extension/${browser}`], /./))
}

/** @param {string} path @param {Uint8Array} contents */
function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, contents)
  renameSync(`${path}.new`, path)
}

/** @param {string} part @param {boolean} fresh @param {() => void | Promise<void>} make */
async function buildPart(part, fresh, make) {
  if (fresh && !process.argv.includes('--force')) return
  const start = performance.now()
  await make()
  console.log(`built ${part} in ${((performance.now() - start) / 1000).toFixed(1)} s`)
}

async function buildAll() {
  const only = ['companion', 'extension'].filter(name => process.argv.includes(`--${name}`))
  /** @param {string} name */
  const isAsked = name => only.length === 0 || only.includes(name)
  if (isAsked('companion')) {
    await buildPart('companion', isFresh('companion', companionInputs()), buildCompanion)
    await buildPart('docs-assets', isFresh('docs-assets'), copyDocsAssets)
  }
  if (!isAsked('extension')) return
  // One after the other: both write the types that WXT generates.
  for (const browser of ['chrome', 'firefox']) {
    const fresh = isFresh(`extension-${browser}`, extensionInputs())
    await buildPart(`extension for ${browser}`, fresh, () => buildExtension(browser))
  }
}

await ensureDependencies()
await withLock('build', buildAll)
