import { ensureAttached } from '../daemon/launch.ts'
import { pathsOf } from '../state/paths.ts'
import { serveMcp } from './mcp-bridge.ts'
import type { ClientSettings } from './settings.ts'

/** Speaks MCP on this process's stdin and stdout until stdin ends. */
export const serveStdio = ({ version, entry, env }: ClientSettings): Promise<void> =>
  serveMcp({
    input: process.stdin,
    output: process.stdout,
    attach: wanted =>
      ensureAttached({ paths: pathsOf(env), role: 'mcp', version, entry, unlessStopped: !wanted }),
  })
