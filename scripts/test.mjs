import { mkdirSync, rmSync } from 'node:fs'
import { ROOT, run, runTool } from './children.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { ensureSoftware } from './system.mjs'
import { countTests } from './test-report.mjs'

// `npm test`: sets up what the tests need, runs them, and ends with `N passed, N failed`. Arguments narrow it:
// kinds (unit, laws, adapters, integration, page-agent, e2e), files, or vitest's own options. `--check` runs the gates too.

const KINDS = ['unit', 'laws', 'adapters', 'integration', 'page-agent', 'e2e']
const REPORT = `.cache/test-report-${process.pid}.json`

const args = process.argv.slice(2).filter(arg => arg !== '--check')
const kinds = args.filter(arg => KINDS.includes(arg))
const others = args.filter(arg => !KINDS.includes(arg))
const needsMachine = args.length === 0 || args.some(arg => /e2e|page-agent|integration/.test(arg))

/** @returns {Promise<string | undefined>} what went wrong */
async function prepareMachine() {
  await ensureSoftware(['chromium', 'xvfb', 'keyring', 'mediawiki', 'ffmpeg'])
  const { code } = await run(process.execPath, ['scripts/build.mjs'], { show: true })
  return code === 0 ? undefined : 'npm run build failed'
}

async function runTests() {
  mkdirSync(`${ROOT}/.cache`, { recursive: true })
  const { code } = await runTool(
    'vitest/vitest.mjs',
    [
      'run',
      ...kinds.flatMap(kind => ['--project', kind]),
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`],
      ...others,
    ],
    { show: true },
  )
  const counts = countTests(`${ROOT}/${REPORT}`, code)
  rmSync(`${ROOT}/${REPORT}`, { force: true })
  return counts
}

await ensureDependencies()
/** @type {string[]} */
const faults = []
if (process.argv.includes('--check')) {
  const { code } = await run(process.execPath, ['scripts/check.mjs'], { show: true })
  if (code !== 0) faults.push('npm run check failed')
}
const fault = needsMachine ? await prepareMachine() : undefined
const { passed, skipped, ...rest } = fault ? { passed: 0, skipped: [], faults: [fault] } : await runTests()
faults.push(...rest.faults)
// In CI nothing may be missing, so a test that was skipped there has failed; unless its name was not asked for.
const byName = args.some(arg => /^(?:-t|--testNamePattern)/.test(arg))
if (process.env.CI && !byName) faults.push(...skipped.splice(0).map(name => `skipped in CI: ${name}`))

if (skipped.length > 0) console.log(`\nSkipped:\n${skipped.map(name => `  ${name}`).join('\n')}`)
if (faults.length > 0) console.log(`\nFailed:\n${faults.map(name => `  ${name}`).join('\n')}`)
const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : ''
console.log(`\n${passed} passed, ${faults.length} failed${tail}`)
process.exitCode = faults.length === 0 ? 0 : 1
