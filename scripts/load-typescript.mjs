import { rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { packageVersion, ROOT } from './children.mjs'

/**
 * Bundles a TypeScript module of this repository and imports it; npm packages stay where they are. The bundle lies
 * two folders below the root, as deep as the modules of tests/support, which find the root from their own place.
 *
 * @param {string} entry relative to the root
 * @returns {Promise<any>} its exports
 */
export async function loadTypescript(entry) {
  const outfile = `${ROOT}/.cache/loaded/${entry.replaceAll('/', '-')}-${process.pid}.mjs`
  await build({
    entryPoints: [`${ROOT}/${entry}`],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    define: { __VERSION__: JSON.stringify(packageVersion()) },
    logLevel: 'warning',
  })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile)
  }
}
