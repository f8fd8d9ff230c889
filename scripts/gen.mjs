import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ROOT } from './children.mjs'
import { loadTypescript } from './load-typescript.mjs'

// The generated files: `npm run gen` writes them, `npm run gen -- --check` fails when one is stale.
const FOLDER = 'docs/reference'
/** @param {string} file */
const current = file =>
  existsSync(`${ROOT}/${FOLDER}/${file}`) ? readFileSync(`${ROOT}/${FOLDER}/${file}`, 'utf8') : undefined

/** @type {readonly { file: string, make(): string }[]} */
const generators = (await loadTypescript('companion/reference/index.ts')).GENERATED
const stale = generators.flatMap(({ file, make }) => {
  const text = make()
  return current(file) === text ? [] : [{ file, text }]
})
const known = new Set(generators.map(({ file }) => file))
const leftOver = existsSync(`${ROOT}/${FOLDER}`)
  ? readdirSync(`${ROOT}/${FOLDER}`).filter(file => !known.has(file))
  : []

if (process.argv.includes('--check')) {
  const faults = [
    ...stale.map(({ file }) => `${FOLDER}/${file} is stale: run "npm run gen".`),
    ...leftOver.map(file => `${FOLDER}/${file} has no generator: run "npm run gen", which deletes it.`),
  ]
  if (generators.length === 0) faults.push('There is no generator at all.')
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
} else {
  mkdirSync(`${ROOT}/${FOLDER}`, { recursive: true })
  for (const { file, text } of stale) writeFileSync(`${ROOT}/${FOLDER}/${file}`, text)
  for (const file of leftOver) rmSync(`${ROOT}/${FOLDER}/${file}`)
  for (const { file } of stale) console.log(`wrote ${FOLDER}/${file}`)
  for (const file of leftOver) console.log(`deleted ${FOLDER}/${file}`)
  console.log(`${generators.length} files, ${stale.length + leftOver.length} changed`)
}
