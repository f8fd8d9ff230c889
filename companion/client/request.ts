import { isatty } from 'node:tty'
import type { CliRequest } from '../surfaces/cli/request.ts'
import type { ClientSettings } from './settings.ts'

/** Variables that change how the companion prints for us. No other leaves this process. */
const PASSED = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'CI', 'UNICLI_OUTPUT']

export function requestOf({ argv, env, version }: ClientSettings): CliRequest {
  const [stdin, stdout, stderr] = [isatty(0), isatty(1), isatty(2)]
  // A terminal of either stream has the same width; a pipe has none.
  const width = (stdout && process.stdout.columns) || (stderr && process.stderr.columns) || null
  return {
    version,
    argv: [...argv],
    cwd: process.cwd(),
    env: Object.fromEntries(PASSED.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
    tty: { stdin, stdout, stderr, columns: width },
  }
}
