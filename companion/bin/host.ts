import { fileURLToPath } from 'node:url'
import { VERSION } from '../../shared/version.ts'
import { runHost } from '../daemon/host.ts'
import { pathsOf } from '../state/paths.ts'

/** The native messaging host. Its stdout belongs to the browser: frames, and nothing else, go there. */
void runHost({
  argv: process.argv.slice(2),
  paths: pathsOf(),
  version: VERSION,
  entry: fileURLToPath(new URL('./companion.js', import.meta.url)),
  input: process.stdin,
  output: process.stdout,
  managed: process.env.UNICLI_MANAGED,
}).then(code => process.exit(code))
