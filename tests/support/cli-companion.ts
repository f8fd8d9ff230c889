import { join } from 'node:path'
import { z } from 'zod'
import { runCompanion } from '../../companion/daemon/lifecycle.ts'
import { type Peer, startServer } from '../../companion/daemon/server.ts'
import { openConfig } from '../../companion/state/config.ts'
import { type Paths, pathsOf } from '../../companion/state/paths.ts'
import { serveCli } from '../../companion/surfaces/cli/session.ts'
import { createCliSurface } from '../../companion/surfaces/cli/surface.ts'
import { Failure } from '../../shared/failures.ts'
import { VERSION } from '../../shared/version.ts'
import { governorOf } from './governor.ts'
import { operationOf, type Script, scriptedKernel } from './scripted-kernel.ts'
import { workbenchIn } from './workbench.ts'

// A companion for tests of the thin client, as a program: real socket, real surface, scripted kernel.

const scripts: Script[] = [
  { operation: operationOf('demo.pid'), run: () => process.pid },
  {
    operation: operationOf('demo.echo', {
      args: z.strictObject({ text: z.string() }),
      positional: ['text'],
      example: { text: 'hello' },
    }),
    run: ({ args }) => args.text,
  },
  {
    operation: operationOf('demo.rows', { args: z.strictObject({ count: z.int() }), positional: ['count'] }),
    run: ({ args }) =>
      Array.from({ length: Number(args.count) }, (_, n) => ({ n, text: `行${n}`.padEnd(100, '猫') })),
  },
  {
    operation: operationOf('demo.login'),
    run: () => {
      throw new Failure('auth_required', { site: 'demo', reason: 'no session' })
    },
  },
  {
    operation: operationOf('demo.wait'),
    run: call => {
      call.emit({ type: 'progress', run_id: call.runId, text: 'waiting' })
      return call.untilCancelled()
    },
  },
  // Hears no cancellation, as a write whose answer is awaited.
  {
    operation: operationOf('demo.hang', { effect: 'write' }),
    run: () => new Promise<never>(() => undefined),
  },
  {
    operation: operationOf('demo.ask', { effect: 'write' }),
    run: call =>
      new Promise(resolve => {
        const now = Date.now()
        const approval = {
          id: 'a1',
          operation: 'demo.ask',
          effect: 'write',
          text: '東京 を消す',
          asked_at: now,
          expires_at: now + 60_000,
        }
        kernel.ask(approval)
        const { answer } = kernel
        kernel.answer = (id, allow) => {
          resolve(allow ? 'allowed' : 'denied')
          return answer(id, allow)
        }
        call.emit({ type: 'waiting', run_id: call.runId, approval })
      }),
  },
]
const kernel = scriptedKernel(scripts)

/** Says what it heard; `slow` is never answered. */
function serveMcp(peer: Peer): void {
  const heard: string[] = []
  peer.onFrame(frame => {
    if (frame.k !== 'event' || typeof frame.data !== 'string') return
    const { id, method } = JSON.parse(frame.data)
    heard.push(method)
    if (id === undefined || method === 'slow' || method === 'tools/call') return
    const line = JSON.stringify({ jsonrpc: '2.0', id, result: { pid: process.pid, heard } })
    // In two pieces: a line is not a frame.
    for (const data of [line.slice(0, 7), `${line.slice(7)}\n`]) peer.send({ k: 'event', name: 'out', data })
  })
}

async function start(paths: Paths, token: string, requestStop: (reason: string) => void) {
  const surface = createCliSurface({
    version: VERSION,
    kernel,
    ledger: {
      begin: () => undefined,
      step: () => undefined,
      request: () => undefined,
      finish: () => undefined,
      list: () => [],
      get: () => null,
    },
    evidence: { get: () => null },
    steps: [],
    config: openConfig(join(paths.home, 'config.yaml')),
    adapters: workbenchIn(paths.home, () => kernel.catalogue.list()),
    governor: governorOf({}),
    diagnose: async () => [],
  })
  const server = await startServer({
    paths,
    token,
    version: VERSION,
    onHost: peer => peer.close(),
    onClient: peer => (peer.attach.role === 'mcp' ? serveMcp(peer) : serveCli(surface, peer)),
    onStop: requestStop,
    onRefusal: failure => console.error(failure.message),
  })
  return {
    http_url: null,
    stop: () => server.close(new Failure('companion_unavailable', { reason: 'it stops' })),
  }
}

await runCompanion({
  paths: pathsOf(),
  version: VERSION,
  start: ({ paths, token, requestStop }) => start(paths, token, requestStop),
})
