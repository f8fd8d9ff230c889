import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { ROOT } from './children.mjs'

/**
 * @typedef {{ fullName: string, status: string }} TestCase
 * @typedef {{ name: string, status: string, message?: string, assertionResults: TestCase[] }} TestFile
 * @typedef {{ passed: number, faults: string[], skipped: string[] }} Counts
 */

/**
 * Counts what vitest's JSON report tells. A file that could not be loaded, a run without a single test and a
 * runner that ended badly by itself (an unhandled error, a crash) are failures too.
 *
 * @param {string} file
 * @param {number} exitCode of vitest
 * @returns {Counts}
 */
export function countTests(file, exitCode) {
  /** @type {TestFile[]} */
  const files = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).testResults : []
  const tests = files.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status }) => ({
      status,
      name: `${relative(ROOT, name)}: ${fullName}`,
    })),
  )
  /** @param {string[]} states */
  const named = (...states) => tests.filter(({ status }) => states.includes(status)).map(({ name }) => name)
  const passed = named('passed').length
  const skipped = named('skipped', 'pending', 'todo', 'disabled')
  const faults = [...named('failed'), ...brokenFiles(files)]
  if (faults.length === 0 && passed === 0) faults.push('no test ran')
  if (faults.length === 0 && exitCode !== 0) faults.push(`vitest itself ended with exit code ${exitCode}`)
  return { passed, skipped, faults }
}

/** @param {TestFile[]} files */
const brokenFiles = files =>
  files
    .filter(file => file.status === 'failed' && !file.assertionResults.some(test => test.status === 'failed'))
    .map(file => `${relative(ROOT, file.name)}: ${file.message?.split('\n')[0] || 'could not be run'}`)
