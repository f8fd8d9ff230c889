import { Failure } from '../../shared/failures.ts'
import { tryConnect } from '../daemon/client.ts'
import { readDiscovery } from '../daemon/discovery.ts'
import { ensureCompanion } from '../daemon/launch.ts'
import { stopCompanion } from '../daemon/stop.ts'
import { readLog } from '../state/log-reader.ts'
import type { Paths } from '../state/paths.ts'
import type { Answer } from '../surfaces/cli/answer.ts'
import {
  daemonLogs,
  daemonStart,
  daemonStatus,
  daemonStop,
  mcpServe,
  setup,
} from '../surfaces/cli/commands/local.ts'
import type { LocalCall, LocalCommand } from './local-command.ts'
import { serveStdio } from './mcp-stdio.ts'
import { runSetup } from './setup-command.ts'

export const LOCAL: readonly LocalCommand[] = [
  { ...setup, run: runSetup },
  { ...daemonStart, run: start },
  { ...daemonStop, run: stop },
  { ...daemonStatus, run: status },
  { ...daemonLogs, run: logs },
  { ...mcpServe, run: serve },
]

async function start({ settings, paths }: LocalCall): Promise<Answer> {
  const { version, entry } = settings
  const before = readDiscovery(paths)?.pid
  const client = await ensureCompanion({ paths, role: 'cli', version, entry })
  client.close()
  const answer = await stateOf(paths)
  return {
    ...answer,
    text: answer.data.pid === before ? `Runs already: ${answer.text}` : `Started: ${answer.text}`,
  }
}

async function stop({ settings, paths }: LocalCall): Promise<Answer> {
  const outcome = await stopCompanion({ paths, version: settings.version })
  return { data: { outcome }, text: outcome === 'stopped' ? 'Stopped.\n' : 'It was not running.\n' }
}

async function status({ settings, paths }: LocalCall): Promise<Answer> {
  const client = await tryConnect({ paths, role: 'cli', version: settings.version })
  client?.close()
  if (client === null) throw new Failure('companion_unavailable', { reason: 'it does not run' })
  return stateOf(paths)
}

async function stateOf(paths: Paths) {
  const found = readDiscovery(paths)
  if (found === null) throw new Failure('companion_unavailable', { reason: 'it has just been stopped' })
  const { pid, version, http_url, started_at } = found
  return {
    data: { ...found, running: true, started: new Date(started_at).toISOString() },
    text: `companion ${version}, process ${pid}${http_url === null ? '' : `, ${http_url}`}\n`,
  }
}

async function logs({ paths, parsed }: LocalCall): Promise<number> {
  const lines = Number(parsed.text('--lines') ?? 50)
  if (!Number.isInteger(lines) || lines < 0)
    throw new Failure('usage', {
      problem: `--lines takes a whole number, not "${parsed.text('--lines')}".`,
      hint: 'For example: --lines 50',
    })
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort())
  await readLog({
    folder: paths.logs,
    lines,
    follow: parsed.bare('--follow') ?? false,
    signal: interrupted.signal,
    onLine: line => process.stdout.write(`${line}\n`),
  })
  return 0
}

async function serve({ settings }: LocalCall): Promise<number> {
  await serveStdio(settings)
  return 0
}
