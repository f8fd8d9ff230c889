import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { ROOT } from './children.mjs'

const FOLDER = `${ROOT}/.cache/build`

/** What every part depends on: the versions of all packages and how things are built. */
const ALWAYS = ['package.json', 'package-lock.json', 'scripts/build.mjs', 'scripts/bundle.mjs']

/**
 * What a part was made from and what it made; paths are relative to the root.
 *
 * @typedef {{ inputs: string[], outputs: string[], hash: string }} Stamp
 * @param {string} part
 * @returns {Stamp | undefined}
 */
export function readStamp(part) {
  const file = `${FOLDER}/${part}.json`
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * @param {string} part
 * @param {string[]} inputs files of ours; packages count through the lock file
 * @param {string[]} outputs
 */
export function writeStamp(part, inputs, outputs) {
  mkdirSync(FOLDER, { recursive: true })
  const stamp = { inputs, outputs, hash: hashOf(inputs) }
  writeFileSync(`${FOLDER}/${part}.json`, JSON.stringify(stamp, null, 2))
}

/**
 * @param {string} part
 * @param {string[]} [inputs] the inputs as they would be listed now; by default those of the last time
 */
export function isFresh(part, inputs) {
  const stamp = readStamp(part)
  if (!stamp?.outputs.every(path => existsSync(`${ROOT}/${path}`))) return false
  return stamp.hash === hashOf(inputs ?? stamp.inputs)
}

/** @param {string[]} inputs */
function hashOf(inputs) {
  const hash = createHash('sha256')
  for (const path of [...ALWAYS, ...inputs]) {
    const file = `${ROOT}/${path}`
    hash.update(`${path}\0`).update(existsSync(file) ? readFileSync(file) : 'gone')
  }
  return hash.digest('hex')
}
