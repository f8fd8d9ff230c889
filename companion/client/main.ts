import { Failure } from '../../shared/failures.ts'
import { ensureAttached } from '../daemon/launch.ts'
import { pathsOf } from '../state/paths.ts'
import { firstScreen } from '../surfaces/cli/first-screen.ts'
import { callCompanion } from './call.ts'
import { requestOf } from './request.ts'
import type { ClientSettings } from './settings.ts'
import { exitWith, minePipes } from './streams.ts'

/** First words of commands that are about the companion itself, or speak for it. */
const LOCAL = new Set(['setup', 'daemon', 'mcp'])
const SLOW_START_MS = 1000

/** Runs one command line and ends this process with its exit code. */
export async function main(settings: ClientSettings): Promise<never> {
  minePipes()
  const { argv, version } = settings
  if (argv.length === 0 || (argv.length === 1 && /^(?:-h|--help|help)$/.test(argv[0] ?? ''))) {
    process.stdout.write(firstScreen(version))
    return exitWith(0)
  }
  if (argv.length === 2 && argv[0] === 'mcp' && argv[1] === 'serve') {
    // An agent keeps it as long as it lives itself: it loads nothing that it does not need.
    const { serveStdio } = await import('./mcp-stdio.ts')
    await serveStdio(settings)
    return exitWith(0)
  }
  if (LOCAL.has(argv[0] ?? '')) {
    const { runLocal } = await import('./local.ts')
    return exitWith(await runLocal(settings))
  }
  return exitWith(await remote(settings))
}

async function remote(settings: ClientSettings): Promise<number> {
  const request = requestOf(settings)
  try {
    return await callCompanion(await attach(settings), request)
  } catch (error) {
    const { failed } = await import('./local.ts')
    return failed(settings, Failure.from(error))
  }
}

async function attach({ argv, env, version, entry }: ClientSettings) {
  const isQuiet = argv[0] === '__complete' || argv.includes('-q') || argv.includes('--quiet')
  const timer = setTimeout(() => {
    if (!isQuiet) process.stderr.write('Starting the companion …\n')
  }, SLOW_START_MS)
  try {
    return await ensureAttached({ paths: pathsOf(env), role: 'cli', version, entry })
  } finally {
    clearTimeout(timer)
  }
}
