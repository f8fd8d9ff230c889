import { existsSync, readFileSync } from 'node:fs'
import { ROOT, run } from './children.mjs'
import { withLock } from './lock.mjs'

/**
 * @typedef {{ version?: string, optional?: boolean }} Locked
 * @param {string} file
 * @returns {Record<string, Locked>}
 */
const lockedPackages = file => JSON.parse(readFileSync(file, 'utf8')).packages

/**
 * True when node_modules holds every version that the lock file names; more than that does no harm.
 *
 * @param {string} folder
 */
function isInstalled(folder) {
  const installed = `${folder}/node_modules/.package-lock.json`
  if (!existsSync(installed)) return false
  const have = lockedPackages(installed)
  return Object.entries(lockedPackages(`${folder}/package-lock.json`)).every(
    ([path, locked]) => path === '' || locked.optional || have[path]?.version === locked.version,
  )
}

/**
 * Installs the packages of the lock file unless they are there. Ends this process when that fails.
 *
 * @param {string} [folder] relative to the root, which it is by default
 */
export async function ensureDependencies(folder = '.') {
  if (!isInstalled(`${ROOT}/${folder}`)) await withLock('install', () => install(folder))
}

/** @param {string} folder */
async function install(folder) {
  // Whoever held the lock before may have done it.
  if (isInstalled(`${ROOT}/${folder}`)) return
  console.error(`Installing the npm packages of ${folder === '.' ? 'unicli' : folder} …`)
  const { code } = await run('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund'], { show: true })
  if (code !== 0) {
    console.error('npm ci failed, so nothing else can run.')
    process.exit(1)
  }
}
