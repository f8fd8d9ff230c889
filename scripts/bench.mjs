import { run } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { listFiles } from './files.mjs'
import { ensureSoftware } from './system.mjs'

// `npm run bench [name …]`: runs each bench/<name>.bench.ts, one after the other, and prints its tables.

/**
 * What a bench file exports: `title`, and `measure`, which gives rows with equal keys.
 *
 * @typedef {{ title: string, measure: () => Promise<Record<string, string | number>[]> }} Bench
 */

/** @param {Record<string, string | number>[]} rows @returns {string} columns as wide as their widest cell */
function table(rows) {
  const head = Object.keys(rows[0] ?? {})
  const lines = [head, ...rows.map(row => head.map(name => show(row[name])))]
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** @param {string | number | undefined} value */
const show = value =>
  typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(2) : String(value ?? '')

await ensureDependencies()
await ensureSoftware(['chromium'])
const { code } = await run(process.execPath, ['scripts/build.mjs'], { show: true })
if (code !== 0) process.exit(code)

// Only now are its packages certain to be there.
const { loadTypescript } = await import('./load-typescript.mjs')
const asked = process.argv.slice(2)
const files = listFiles(['bench'], /\.bench\.ts$/).filter(
  file => asked.length === 0 || asked.some(name => file.includes(name)),
)
if (files.length === 0) {
  console.error(`There is no bench ${asked.join(', ')}.`)
  process.exitCode = 1
}
for (const file of files) {
  /** @type {Bench} */
  const { title, measure } = await loadTypescript(file)
  console.log(`\n${title}\n${table(await measure())}`)
}
