import { fileURLToPath } from 'node:url'
import { VERSION } from '../../shared/version.ts'
import { runCompanion } from '../daemon/lifecycle.ts'
import { pathsOf } from '../state/paths.ts'

/** Of the installed package: this file is its dist/bin/companion.js. */
const packageRoot = fileURLToPath(new URL('../..', import.meta.url))

await runCompanion({
  paths: pathsOf(),
  version: VERSION,
  // Loaded by the one that got the lock: the others, started at the same moment, end sooner.
  start: async options => (await import('../compose.ts')).startCompanion(options, packageRoot),
})
