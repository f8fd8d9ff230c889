import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { packageVersion, ROOT } from './children.mjs'
import { listFiles } from './files.mjs'

const OUT = 'dist/bin'

/** Loaded from node_modules: it finds its .wasm beside itself. */
const NOT_BUNDLED = ['node-sqlite3-wasm']

/** CommonJS packages inside an ES module call require() for Node's own modules. */
const REQUIRE_FOR_COMMONJS =
  "import { createRequire as createRequireForBundle } from 'node:module'\n" +
  'globalThis.require ??= createRequireForBundle(import.meta.url)'

/**
 * Programs that are started again and again: one file each, so that Node reads no other before they do anything, and
 * CommonJS, so that it starts no loader of ES modules.
 */
const THIN = ['companion/bin/unicli.ts', 'companion/bin/host.ts']

const MODULE_URL_OF_COMMONJS = "const moduleUrl = require('node:url').pathToFileURL(__filename).href"

/**
 * Bundles companion/bin, in memory: entries that share chunks, loaded when they are needed.
 *
 * @returns {Promise<{ files: import('esbuild').OutputFile[], inputs: string[], metafile: import('esbuild').Metafile }>}
 *   files in the order in which to write them: chunks, then the entries that name them; inputs of ours only
 */
export async function bundleCompanion() {
  const entryPoints = listFiles(['companion/bin'], /(?<!\.test|\.d)\.ts$/)
  const { outputFiles, metafile } = await build({
    ...settings,
    entryPoints,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    banner: { js: REQUIRE_FOR_COMMONJS },
  })
  const thin = await build({
    ...settings,
    entryPoints: entryPoints.filter(entry => THIN.includes(entry)),
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { ...settings.define, 'import.meta.url': 'moduleUrl' },
    banner: { js: MODULE_URL_OF_COMMONJS },
    plugins: [leaveToChunks(metafile)],
  })
  const isThin = (/** @type {string} */ path) =>
    THIN.includes(metafile.outputs[relative(ROOT, path)]?.entryPoint ?? '')
  const [chunks, entries] = [true, false].map(wanted =>
    outputFiles.filter(({ path }) => !isThin(path) && path.includes('/chunks/') === wanted),
  )
  return {
    files: [...(chunks ?? []), ...(entries ?? []), ...thin.outputFiles],
    inputs: Object.keys(metafile.inputs).filter(path => !path.includes('node_modules/')),
    metafile,
  }
}

/** The same `load` without the parts that fetch and decode, which bring 1.6 MB of undici and iconv-lite to parse. */
const LEAN = { cheerio: `${ROOT}/node_modules/cheerio/dist/browser/index.js` }

/** @satisfies {import('esbuild').BuildOptions} */
const settings = /** @type {const} */ ({
  absWorkingDir: ROOT,
  outdir: OUT,
  bundle: true,
  alias: LEAN,
  // Node reads what is shorter sooner; names stay for stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  external: [...NOT_BUNDLED],
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  define: { __VERSION__: JSON.stringify(packageVersion()) },
  metafile: true,
  write: false,
  logLevel: 'warning',
})

/**
 * Lets a thin program load, with import(), the chunk that the main build made of that file. What its entry itself
 * imports is only put off: it comes into the one file.
 *
 * @param {import('esbuild').Metafile} metafile of the main build
 * @returns {import('esbuild').Plugin}
 */
const leaveToChunks = ({ outputs }) => ({
  name: 'leave-to-chunks',
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path, resolveDir, importer }) => {
      if (kind !== 'dynamic-import' || THIN.includes(relative(ROOT, importer))) return undefined
      const source = relative(ROOT, join(resolveDir, path))
      const [chunk] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source) ?? []
      return chunk ? { path: `./${relative(OUT, chunk)}`, external: true } : undefined
    })
  },
})
