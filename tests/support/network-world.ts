import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compilePlan } from '../../companion/kernel/compile.ts'
import type { KernelParts } from '../../companion/kernel/kernel.ts'
import type { Invocation, Operation, RunEvent } from '../../companion/kernel/operation.ts'
import { planFacts } from '../../companion/kernel/plan-facts.ts'
import { openHttpCache } from '../../companion/state/http-cache.ts'
import { STEPS } from '../../companion/steps/index.ts'
import { createFilesFactory } from '../../companion/substrates/files/files.ts'
import { createHttpFactory } from '../../companion/substrates/http/factory.ts'
import { createMcpFactory } from '../../companion/substrates/mcp/connections.ts'
import { createProcessFactory } from '../../companion/substrates/process/process.ts'
import type { Envelope } from '../../shared/envelope.ts'
import { operation, setUp } from './kernel-world.ts'
import { recordingLog } from './recording-log.ts'
import { makeTempDir, type TempDir } from './temp.ts'

export interface Seen {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingMessage['headers']
  body: string
}
export type Answerer = (seen: Seen, response: ServerResponse) => unknown

/** A site on this machine that keeps what it was asked. What `answer` returns is sent as JSON. */
export interface LocalSite {
  url: string
  server: Server
  seen: Seen[]
  answer: Answerer
  close(): Promise<void>
}

export async function localSite(answer: Answerer = () => null): Promise<LocalSite> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      site.seen.push(seen)
      const data = site.answer(seen, response)
      if (data === undefined) return
      if (!response.headersSent) response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(data))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const site: LocalSite = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen: [],
    answer,
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  return site
}

export interface RunSettings {
  args?: Record<string, unknown>
  effect?: Operation['effect']
  origins?: string[]
  env?: string[]
  executables?: string[]
  rate?: number
  timeoutMs?: number
  signal?: AbortSignal
  onEvent?: (event: RunEvent) => void
}

/** Runs pipelines of the real steps through the real kernel on the real network, with state of its own. */
export interface NetworkWorld {
  dir: TempDir
  run(base: string, pipeline: readonly unknown[], settings?: RunSettings): Promise<Envelope>
  /** A kernel that keeps its rates from one run to the next. */
  kernel(base: string, pipeline: readonly unknown[], settings?: RunSettings): () => Promise<Envelope>
}

export async function networkWorld(): Promise<NetworkWorld> {
  const dir = await makeTempDir()
  const log = recordingLog()
  const cache = openHttpCache({ folder: join(dir.path, 'cache'), maxBytes: 10_000_000, log })
  const parts: Partial<KernelParts> = {
    steps: STEPS,
    http: createHttpFactory({
      cookies: { read: () => null },
      tokens: { token: () => Promise.reject(new Error('no service is signed in to here')) },
      cache,
      agent: 'unicli-test',
    }),
    mcp: createMcpFactory('test'),
    process: createProcessFactory(),
    files: createFilesFactory({ own: join(dir.path, 'files'), granted: () => [join(dir.path, 'files')] }),
  }
  const kernel: NetworkWorld['kernel'] = (base, pipeline, settings = {}) => {
    const { run } = setUp(operationFor(base, pipeline, settings), parts)
    const { args = {}, signal, onEvent, timeoutMs } = settings
    const asked: Partial<Invocation> = { args, onEvent, ...(signal === undefined ? {} : { signal }) }
    return () => run({ ...asked, options: timeoutMs === undefined ? {} : { timeout_ms: timeoutMs } })
  }
  return { dir, kernel, run: (...asked) => kernel(...asked)() }
}

function operationFor(base: string, pipeline: readonly unknown[], settings: RunSettings): Operation {
  const plan = compilePlan(pipeline, { steps: STEPS, line: () => null })
  const made = operation({ effect: settings.effect ?? 'read', allowEmpty: true })
  return {
    ...made,
    effect: settings.effect ?? planFacts(plan).effect,
    args: made.args.loose(),
    source: {
      kind: 'adapter',
      base,
      origins: settings.origins ?? [],
      plans: { public: plan },
      csrf: {},
      executables: settings.executables ?? [],
      env: settings.env ?? [],
      rate: settings.rate,
    },
  }
}
