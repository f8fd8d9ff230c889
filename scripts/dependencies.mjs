import { existsSync, readFileSync } from 'node:fs'
import { ROOT, run } from './children.mjs'
import { withLock } from './lock.mjs'

/**
 * @typedef {{ version?: string, optional?: boolean }} Locked
 * @param {string} file
 * @returns {Record<string, Locked>}
 */
const lockedPackages = file => JSON.parse(readFileSync(file, 'utf8')).packages

/** True when node_modules holds every version that the lock file names; more than that does no harm. */
function isInstalled() {
  const installed = `${ROOT}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const have = lockedPackages(installed)
  return Object.entries(lockedPackages(`${ROOT}/package-lock.json`)).every(
    ([path, locked]) => path === '' || locked.optional || have[path]?.version === locked.version,
  )
}

/** Installs the packages of the lock file unless they are there. Ends this process when that fails. */
export async function ensureDependencies() {
  if (!isInstalled()) await withLock('install', install)
}

async function install() {
  // Whoever held the lock before may have done it.
  if (isInstalled()) return
  console.error('Installing the npm packages …')
  const { code } = await run('npm', ['ci', '--no-audit', '--no-fund'], { show: true })
  if (code !== 0) {
    console.error('npm ci failed, so nothing else can run.')
    process.exit(1)
  }
}
